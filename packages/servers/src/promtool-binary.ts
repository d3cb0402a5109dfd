import { packagedBinary } from './packaged-binary';

/** Finds or fetches promtool, which checks alert rules. */
export function promtoolBinary(cache_directory?: string): Promise<string> {
  return packagedBinary(
    {
      name: 'promtool',
      package_name: 'prometheus',
      accepts: (version) => /promtool, version 2\.(2[4-9]|[3-9]\d)|version 3\./.test(version),
      advice:
        'No promtool was found and the package could not be fetched: install Prometheus so that promtool is on PATH (Debian and Ubuntu: apt-get install prometheus; macOS: brew install prometheus).',
    },
    cache_directory,
  );
}
