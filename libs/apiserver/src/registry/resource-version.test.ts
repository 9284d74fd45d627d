import assert from 'node:assert/strict';
import { newTooLargeResourceVersion } from '@apichain/meta';
import { withExactDigits } from './resource-version.ts';

describe('withExactDigits', () => {
  const refused = (version: string) =>
    withExactDigits(version, Promise.reject(newTooLargeResourceVersion(Number(version), 7)));

  it('names the requested version', async () => {
    for (const version of ['18446744073709551615', '9007199254740993', '12'])
      await assert.rejects(refused(version), {
        message: `Timeout: Too large resource version: ${version}, current: 7`,
      });
  });

  it('passes other errors and results', async () => {
    await assert.rejects(withExactDigits('99999999999999999999', Promise.reject(new Error('other'))), /other/);
    assert.equal(await withExactDigits('9007199254740993', Promise.resolve(1)), 1);
  });
});
