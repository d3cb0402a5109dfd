import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BinaryReader } from '@bufbuild/protobuf/wire';

/** Generated beside the protos; the way is the same from the sources and from the build. */
const FILE = path.join(__dirname, '../descriptors.binpb');

/** The serialised FileDescriptorProto of every proto file, imports first. */
export function fileDescriptors(): Uint8Array[] {
  // A FileDescriptorSet is `repeated FileDescriptorProto file = 1`.
  const set = new BinaryReader(readFileSync(FILE));
  const files: Uint8Array[] = [];
  while (set.pos < set.len) {
    set.tag();
    files.push(set.bytes());
  }
  return files;
}
