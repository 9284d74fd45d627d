import assert from 'node:assert/strict';
import type { VersionInfo } from '@apichain/request';
import { statusz } from './zpages.ts';

const version: VersionInfo = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.2',
  gitCommit: 'c',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'go1.26',
  compiler: 'gc',
  platform: 'linux/amd64',
};

describe('/statusz', () => {
  const page = statusz(version, () => ['/readyz/ping', '/healthz', '/readyz', '/apis/apps', '/', '/metrics']);

  it('has the first segments of paths once, sorted, without those of the API', () => {
    assert.deepEqual(page.members()['paths'], ['/healthz', '/metrics', '/readyz']);
  });

  it('has the start, the versions and the time since then', () => {
    const { startTime, uptimeSeconds, binaryVersion, emulationVersion } = page.members();
    assert.match(String(startTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const age = (Date.now() - Date.parse(String(startTime))) / 1000;
    assert.ok(Math.abs(age - Number(uptimeSeconds)) <= 2, `${age} s, ${String(uptimeSeconds)} s`);
    assert.deepEqual([binaryVersion, emulationVersion], ['1.36.2', '1.35']);
  });

  it('says the same in text, with any of the delimiters', () => {
    const text = page.text();
    assert.match(
      text,
      /^\napiserver statusz\nWarning: .*\n\nStarted(?::|: |=| ) \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\n/,
    );
    assert.match(text, /^Up(?::|: |=| ) \d+ hr \d\d min \d\d sec$/m);
    assert.match(text, /^Paths(?::|: |=| ) \/healthz \/metrics \/readyz$/m);
  });
});
