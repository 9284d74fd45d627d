import assert from 'node:assert/strict';
import type { BuiltinGroupVersion, BuiltinResource } from './resources.ts';
import { checkRuntimeConfig, resourceEnabled, versionEnabled, type RuntimeConfig } from './runtime-config.ts';

const beta: BuiltinGroupVersion = {
  group: 'batch',
  version: 'v1beta1',
  enabledByDefault: false,
  preferred: false,
  groupPriorityMinimum: 0,
  versionPriority: 0,
  server: 'kube-apiserver',
  resources: [],
};
const cronjobs: BuiltinResource = {
  group: 'batch',
  version: 'v1beta1',
  info: {
    kind: { group: 'batch', version: 'v1beta1', kind: 'CronJob' },
    listKind: 'CronJobList',
    plural: 'cronjobs',
    singular: 'cronjob',
    namespaced: true,
    shortNames: [],
    categories: [],
  },
  verbs: [],
  subresources: [],
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
};

/** The flag, parsed: a key without a value means true. */
const configOf = (flag: string): RuntimeConfig =>
  Object.fromEntries(
    flag.split(',').flatMap((pair) => {
      const [key = '', value = 'true'] = pair.split('=');
      return key === '' ? [] : [[key, value]];
    }),
  );

describe('--runtime-config', () => {
  const enabled = (text: string, gv = beta) => versionEnabled(gv, configOf(text));

  it('applies general settings before specific ones', () => {
    assert.equal(enabled(''), false);
    assert.equal(enabled('api/all'), true);
    assert.equal(enabled('api/all=true,api/beta=false'), false);
    assert.equal(enabled('batch/v1beta1=true,api/beta=false'), true);
    assert.equal(enabled('api/v1=false', { ...beta, group: '', version: 'v1', enabledByDefault: true }), false);
    assert.equal(resourceEnabled(beta, cronjobs, configOf('batch/v1beta1/cronjobs')), true);
  });

  it('must name existing versions, with true or false', () => {
    const problem = (text: string): string => {
      try {
        checkRuntimeConfig(configOf(text), [beta, { group: '', version: 'v1' }]);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.deepEqual(['v1', 'api/v1=false', 'batch/v1beta1=T,api/legacy=true', 'api/all=false,v1'].map(problem), [
      '',
      '',
      '',
      '',
    ]);
    assert.equal(problem('api/all=false'), 'invalid runtime-config with only api/all=false');
    assert.equal(problem('api/all=maybe'), 'invalid value api/all=maybe');
    assert.equal(problem('batch'), 'runtime-config invalid key batch');
    assert.equal(problem('none/v1,bar/v2=false'), 'unknown api groups bar/v2,none/v1');
    assert.equal(problem('batch/v9'), 'group version batch/v9 that has not been registered');
    assert.equal(
      problem('batch/v1beta1=yes'),
      'invalid value of batch/v1beta1: yes, err: strconv.ParseBool: parsing "yes": invalid syntax',
    );
    assert.equal(
      problem('batch/v1beta1/Jobs'),
      'invalid key batch/v1beta1/Jobs: group/version/resource and resource is always lowercase plural, not "Jobs"',
    );
  });
});
