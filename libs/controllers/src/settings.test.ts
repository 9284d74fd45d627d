import assert from 'node:assert/strict';
import { controllerNames } from './selection.ts';
import { queues, workersOf } from './queues.ts';
import { parseSettings, settings, unsupportedFlag } from './settings.ts';

describe('the settings of controllers', () => {
  it('have the defaults of kube-controller-manager', () => {
    const values = parseSettings();
    assert.equal(values['concurrent-gc-syncs'], 20);
    assert.equal(values['node-monitor-grace-period'], 50_000);
    assert.equal(values['horizontal-pod-autoscaler-tolerance'], 0.1);
    assert.equal(values['cluster-signing-duration'], 8_760 * 3_600_000);
  });

  it('are those that are given', () => {
    const values = parseSettings({ 'terminated-pod-gc-threshold': '-1', 'node-eviction-rate': '0.5' });
    assert.equal(values['terminated-pod-gc-threshold'], -1);
    assert.equal(values['node-eviction-rate'], 0.5);
  });

  for (const [name, text, problem] of [
    ['concurrent-job-syncs', '0', '--concurrent-job-syncs: "0" is not a whole number (1-10000)'],
    ['concurrent-job-syncs', '1.5', '--concurrent-job-syncs: "1.5" is not a whole number (1-10000)'],
    ['concurrent-job-syncs', '', '--concurrent-job-syncs: "" is not a whole number (1-10000)'],
    [
      'concurrent-service-endpoint-syncs',
      '51',
      '--concurrent-service-endpoint-syncs: "51" is not a whole number (1-50)',
    ],
    ['node-eviction-rate', '-1', '--node-eviction-rate: "-1" is not a number, at least 0'],
    [
      'resource-quota-sync-period',
      '0s',
      '--resource-quota-sync-period: "0s" is not a duration such as 15s, longer than 0',
    ],
    [
      'resource-quota-sync-period',
      '5',
      '--resource-quota-sync-period: "5" is not a duration such as 15s, longer than 0',
    ],
  ] as const)
    it(`${name} is not ${text}`, () => assert.throws(() => parseSettings({ [name]: text }), { message: problem }));

  it('are no flags that are refused', () =>
    assert.deepEqual(
      Object.keys(settings).filter((name) => unsupportedFlag(name) !== undefined),
      [],
    ));
});

describe('the workers of controllers', () => {
  it('are those that the flags say', () => {
    const values = parseSettings({ 'concurrent-statefulset-syncs': '7' });
    assert.equal(workersOf('statefulset-controller', values), 7);
    assert.equal(workersOf('deployment-controller', values), 5);
    assert.equal(workersOf('disruption-controller', values), 1);
  });

  it('have a flag wherever kube-controller-manager has one', () => {
    const flags = controllerNames.map((name) => queues[name].workers).filter((workers) => typeof workers === 'string');
    const wanted = Object.keys(settings).filter((name) => /concurrent-.*syncs$/.test(name));
    assert.deepEqual(flags.toSorted(), wanted.toSorted());
  });
});
