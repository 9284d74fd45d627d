import type { Platform } from './platform.ts';
import type { Recording } from '../comparison/recording.ts';
import { createApiService, createLocalService, sampleApiserver, waitForAvailable } from './extension-servers.ts';
import { observeFaults } from './conditions.ts';
import { useMetricsServer } from './metrics.ts';
import { observeOutages, roll } from './outages.ts';
import { useWardle } from './wardle.ts';

const versions = ['v1alpha1', 'v1beta1'] as const;

/** Starts the extension servers behind a platform and runs the scenarios whose names match. */
export async function runScenarios(platform: Platform, record: Recording, names: RegExp): Promise<void> {
  let server = await sampleApiserver(platform, 'sample-apiserver');
  await server.start();
  try {
    await platform.create('/api/v1/namespaces', { metadata: { name: 'wardle' } });
    await createLocalService(platform, 'wardle', 'api');
    for (const version of versions) {
      await createApiService(platform, `${version}.wardle.example.com`, {
        namespace: 'wardle',
        name: 'api',
        port: server.port,
      });
      const ms = await waitForAvailable(platform, `${version}.wardle.example.com`, 'True');
      record.figure(`${version}: ms until Available`, ms);
    }
    if (names.test('wardle')) await useWardle(platform, record, server);
    if (names.test('faults')) await observeFaults(platform, record);
    if (names.test('outages')) await observeOutages(platform, record, server);
    if (names.test('rolling')) server = await roll(platform, record, server);
    if (names.test('metrics')) await useMetricsServer(platform, record);
  } finally {
    await server.stop();
  }
}
