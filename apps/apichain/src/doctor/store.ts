import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDataDir } from '@apichain/embedded-etcd';
import { isEmbeddedEtcdDirectory } from '@apichain/embedded-etcd/data-directory';
import { errorMessage } from '@apichain/meta';
import { isEtcdDirectory } from '../up/etcd.ts';
import { storeProbe } from '../up/store-probe.ts';
import { type Check, type Finding, fail, ok, warn } from './finding.ts';

const about = 'store';
const timeoutMs = 5_000;

/** Checks the store. If it runs: it responds and reports no errors. Otherwise: its files are not damaged. */
export const checkStore: Check = async ({ root, holder, etcdServers }) => {
  const url = etcdServers ?? (holder === undefined ? undefined : runningUrl(root));
  if (url !== undefined) return [await ask(url)];
  if (holder !== undefined) return [fail(about, 'the chain runs but has not noted its store: is it still starting?')];
  const embedded = join(root, 'embedded-etcd');
  const etcd = join(root, 'etcd');
  if (isEmbeddedEtcdDirectory(embedded)) return [await read(embedded)];
  if (isEtcdDirectory(etcd)) return [ok(about, `${etcd} holds the data of a real etcd, which does not run`)];
  return [ok(about, 'empty: the embedded etcd begins with the next apichain up')];
};

function runningUrl(root: string): string | undefined {
  const file = join(root, 'store-url');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** A store that does not respond to a ping is not asked more, because the client of etcd takes long to load. A busy machine may need seconds to respond. */
const pingMs = 5_000;

async function ask(url: string): Promise<Finding> {
  const problem = url.startsWith('unix://') ? await storeProbe(url, pingMs)() : undefined;
  if (problem !== undefined) return fail(about, `${url}: ${problem}`);
  const { EtcdApi } = await import('../etcd-api.ts');
  const api = new EtcdApi(url, url, {}, { callTimeoutMs: timeoutMs });
  try {
    // The first call loads the client and connects, which must not be part of the measurement.
    await api.status();
    const started = performance.now();
    const { version, revision, errors } = await api.status();
    if (errors.length > 0) return fail(about, `${url} says: ${errors.join('; ')}`);
    const ms = Math.round(performance.now() - started);
    const text = `${url} responds as etcd ${version} at revision ${revision} (${ms} ms)`;
    return ms > 1_000 ? warn(about, `${text}, slowly`) : ok(about, text);
  } catch (error) {
    return fail(about, errorMessage(error));
  } finally {
    await api.close();
  }
}

async function read(directory: string): Promise<Finding> {
  try {
    const { records, revision } = await checkDataDir(directory);
    return ok(about, `${directory} is whole: ${records} records, revision ${revision}`);
  } catch (error) {
    return fail(about, errorMessage(error));
  }
}
