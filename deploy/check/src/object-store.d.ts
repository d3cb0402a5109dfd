// The Barman Cloud plugin's own resource, of which nobody publishes types: the fields used here, after
// the plugin's documentation of barmancloud.cnpg.io/v1. A field that is not here is refused.

interface SecretKey {
  name: string;
  key: string;
}

type Compression = 'bzip2' | 'gzip' | 'lz4' | 'snappy' | 'xz' | 'zstd';
type Encryption = 'AES256' | 'aws:kms';

export interface IObjectStore {
  apiVersion: 'barmancloud.cnpg.io/v1';
  kind: 'ObjectStore';
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec: {
    /** Days, weeks or months. */
    retentionPolicy?: `${number}${'d' | 'w' | 'm'}`;
    configuration: {
      destinationPath: `s3://${string}`;
      endpointURL?: `https://${string}`;
      endpointCA?: SecretKey;
      s3Credentials?:
        | { accessKeyId: SecretKey; secretAccessKey: SecretKey; region?: SecretKey }
        | { inheritFromIAMRole: true };
      wal?: { compression?: Compression; encryption?: Encryption; maxParallel?: number };
      data?: {
        compression?: 'bzip2' | 'gzip' | 'snappy';
        encryption?: Encryption;
        jobs?: number;
        immediateCheckpoint?: boolean;
      };
    };
  };
}
