import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { connectEtcd } from '../etcd-client.ts';

/** Runs a chain's calls to its store, then lists the loaded modules of the gRPC libraries. */
const program = `
  import { createRequire } from 'node:module';
  import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
  import { connectEtcd, createWatch, putIfAbsent } from '@apichain/etcd-client';
  const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
  const connection = connectEtcd({ servers: [etcd.url], prefix: '' });
  const key = Buffer.from('/key');
  const seen = Promise.withResolvers();
  const watch = await connection.openWatch({ onMessage: ({ events }) => events.length > 0 && seen.resolve(), onEnd: seen.reject });
  watch.write(createWatch({ key, rangeEnd: Buffer.alloc(0), startRevision: 0, prevKv: false }));
  await putIfAbsent(connection, key, key, await connection.grantLease(60));
  await seen.promise;
  await connection.compact(2);
  await connection.status();
  await connection.close();
  await etcd.close();
  const loaded = Object.keys(createRequire(process.cwd() + '/').cache);
  console.log(JSON.stringify(loaded.filter((file) => /grpc-js|etcd3/.test(file))));
`;

describe('an embedded etcd in the same process', () => {
  it('is reached without a library for gRPC', async () => {
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
    assert.deepEqual(JSON.parse(stdout), []);
  });

  it('ends only the stream whose handler throws', async () => {
    const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
    const connection = connectEtcd({ servers: [etcd.url], prefix: '' });
    const ended = Promise.withResolvers<Error>();
    const watch = await connection.openWatch({
      onMessage: () => {
        throw new Error('cannot take it');
      },
      onEnd: ended.resolve,
    });
    watch.write({ createRequest: undefined, cancelRequest: undefined, progressRequest: {} });
    assert.equal((await ended.promise).message, 'cannot take it');
    assert.equal(await connection.currentRevision(), 1);
    await connection.close();
    await etcd.close();
  });
});
