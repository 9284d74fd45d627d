import assert from 'node:assert/strict';
import type { BuiltinGroupVersion, BuiltinResource } from './resources.ts';
import { checkRuntimeConfig, parseRuntimeConfig, resourceEnabled, versionEnabled } from './runtime-config.ts';

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

describe('--runtime-config', () => {
  const enabled = (text: string, gv = beta) => versionEnabled(gv, parseRuntimeConfig(text));

  it('goes from wide to narrow', () => {
    assert.equal(enabled(''), false);
    assert.equal(enabled('api/all'), true);
    assert.equal(enabled('api/all=true,api/beta=false'), false);
    assert.equal(enabled('batch/v1beta1=true,api/beta=false'), true);
    assert.equal(enabled('api/v1=false', { ...beta, group: '', version: 'v1', enabledByDefault: true }), false);
    assert.equal(resourceEnabled(beta, cronjobs, parseRuntimeConfig('batch/v1beta1/cronjobs')), true);
  });

  it('must name what there is, and say true or false', () => {
    assert.throws(() => checkRuntimeConfig(parseRuntimeConfig('api/all=maybe'), [beta]), /must be true or false/);
    assert.throws(() => checkRuntimeConfig(parseRuntimeConfig('none/v1=true'), [beta]), /unknown api groups none/);
  });
});
