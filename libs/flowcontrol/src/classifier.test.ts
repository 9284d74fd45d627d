import assert from 'node:assert/strict';
import { Classifier } from './classifier.ts';
import { flowSchemaOf, priorityLevelOf } from './configuration.ts';
import {
  everyPath,
  everyResource,
  flowSchema,
  info,
  limitedLevel,
  queuing,
  TestClock,
  toGroup,
  toUser,
  user,
} from './flow-control.fixture.ts';
import { PriorityLevels } from './priority-levels.ts';

const pods = info('GET', '/api/v1/namespaces/shop/pods/a');

function classifierOf(levels: readonly ReturnType<typeof limitedLevel>[], schemas: ReturnType<typeof flowSchema>[]) {
  const state = new PriorityLevels(600, new TestClock().read);
  state.configure(levels.map(priorityLevelOf).filter((level) => level !== undefined));
  return new Classifier(schemas.map(flowSchemaOf), state);
}

describe('Classifier', () => {
  it('has the mandatory flow schemas before any configuration', () => {
    const classifier = classifierOf([], []);
    assert.equal(classifier.classify(user('admin', 'system:masters'), pods).level.name, 'exempt');
    assert.equal(classifier.classify(user('bob', 'system:authenticated'), pods).level.name, 'catch-all');
    assert.equal(classifier.classify(user('nobody'), info('GET', '/healthz')).schema.name, 'catch-all');
  });

  it('selects the schema of the lowest precedence, then of the first name', () => {
    const rules = [{ subjects: toGroup('dev'), resourceRules: [everyResource] }];
    const classifier = classifierOf(
      [limitedLevel('l', 10)],
      [flowSchema('c', 'l', 300, rules), flowSchema('b', 'l', 200, rules), flowSchema('a', 'l', 200, rules)],
    );
    assert.equal(classifier.classify(user('bob', 'dev'), pods).schema.name, 'a');
    assert.equal(classifier.classify(user('eve', 'ops'), pods).schema.name, 'catch-all');
    assert.equal(classifier.classify(user('bob', 'dev'), info('GET', '/version')).schema.name, 'catch-all');
  });

  it('skips a schema whose level is missing', () => {
    const rules = [{ subjects: toGroup('*'), resourceRules: [everyResource] }];
    const classifier = classifierOf([], [flowSchema('lost', 'nowhere', 2, rules)]);
    assert.equal(classifier.classify(user('bob'), pods).schema.name, 'catch-all');
  });

  const matches = (rule: Record<string, unknown>, method: string, url: string, name = 'bob'): boolean => {
    const subjects = 'subjects' in rule ? rule['subjects'] : toUser('*');
    const classifier = classifierOf([limitedLevel('l', 10)], [flowSchema('s', 'l', 5, [{ ...rule, subjects }])]);
    return classifier.classify(user(name, 'system:authenticated'), info(method, url)).schema.name === 's';
  };

  it('matches verbs, groups, resources, subresources and namespaces', () => {
    const rule = {
      verbs: ['list', 'get'],
      apiGroups: ['apps'],
      resources: ['deployments', 'deployments/scale'],
      namespaces: ['a'],
    };
    const resourceRules = [rule];
    assert.ok(matches({ resourceRules }, 'GET', '/apis/apps/v1/namespaces/a/deployments'));
    assert.ok(matches({ resourceRules }, 'GET', '/apis/apps/v1/namespaces/a/deployments/x/scale'));
    assert.ok(!matches({ resourceRules }, 'GET', '/apis/apps/v1/namespaces/a/deployments/x/status'));
    assert.ok(!matches({ resourceRules }, 'GET', '/apis/apps/v1/namespaces/b/deployments'));
    assert.ok(!matches({ resourceRules }, 'GET', '/apis/apps/v1/deployments'));
    assert.ok(!matches({ resourceRules }, 'DELETE', '/apis/apps/v1/namespaces/a/deployments/x'));
    assert.ok(!matches({ resourceRules }, 'GET', '/apis/batch/v1/namespaces/a/deployments'));
    assert.ok(matches({ resourceRules: [{ ...rule, clusterScope: true }] }, 'GET', '/apis/apps/v1/deployments'));
    assert.ok(
      matches({ resourceRules: [{ ...rule, namespaces: ['*'] }] }, 'GET', '/apis/apps/v1/namespaces/z/deployments'),
    );
  });

  it('matches paths', () => {
    const rule = (...nonResourceURLs: string[]) => ({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] });
    assert.ok(matches(rule('/healthz'), 'GET', '/healthz'));
    assert.ok(matches(rule('/healthz'), 'GET', '/healthz/ping'));
    assert.ok(!matches(rule('/healthz'), 'GET', '/healthzz'));
    assert.ok(matches(rule('/debug/*'), 'GET', '/debug/pprof'));
    assert.ok(!matches(rule('/debug/*'), 'POST', '/debug/pprof'));
    assert.ok(matches(rule('*'), 'GET', '/anything'));
  });

  it('matches users, groups and service accounts', () => {
    const rule = (subject: unknown) => ({ resourceRules: [everyResource], subjects: [subject] });
    const account = (namespace: string, name: string) =>
      rule({ kind: 'ServiceAccount', serviceAccount: { namespace, name } });
    const robot = 'system:serviceaccount:shop:robot';
    assert.ok(matches(account('shop', 'robot'), 'GET', pods.path, robot));
    assert.ok(matches(account('shop', '*'), 'GET', pods.path, robot));
    assert.ok(!matches(account('sho', '*'), 'GET', pods.path, robot));
    assert.ok(!matches(account('shop', 'other'), 'GET', pods.path, robot));
    assert.ok(matches(rule(toUser('bob')[0]), 'GET', pods.path));
    assert.ok(!matches(rule(toUser('eve')[0]), 'GET', pods.path));
    assert.ok(matches(rule(toGroup('*')[0]), 'GET', pods.path));
  });

  it('distinguishes flows by user or by namespace, or not at all with one queue', () => {
    const flows = (method: string, level: ReturnType<typeof limitedLevel>) => {
      const rules = [{ subjects: toUser('*'), resourceRules: [everyResource], nonResourceRules: [everyPath] }];
      const classifier = classifierOf(
        [level],
        [flowSchema('s', 'l', 5, rules, { distinguisherMethod: { type: method } })],
      );
      const of = (name: string, namespace: string) =>
        classifier.classify(user(name), info('GET', `/api/v1/namespaces/${namespace}/pods`)).distinguisher;
      return [of('bob', 'a'), of('bob', 'b'), of('eve', 'a')];
    };
    assert.deepEqual(flows('ByUser', limitedLevel('l', 10, queuing(16, 4, 5))), ['bob', 'bob', 'eve']);
    assert.deepEqual(flows('ByNamespace', limitedLevel('l', 10, queuing(16, 4, 5))), ['a', 'b', 'a']);
    assert.deepEqual(flows('ByNamespace', limitedLevel('l', 10, queuing(1, 1, 5))), ['', '', '']);
    assert.deepEqual(flows('ByUser', limitedLevel('l', 10)), ['', '', '']);
  });

  it('gives one flow to the requests of one user, regardless of the object', () => {
    const rules = [{ subjects: toUser('*'), resourceRules: [{ ...everyResource, verbs: ['get'] }] }];
    const classifier = classifierOf([limitedLevel('l', 10, queuing(64, 6, 5))], [flowSchema('s', 'l', 5, rules)]);
    const first = classifier.classify(user('bob', 'dev'), pods);
    assert.equal(classifier.classify(user('bob', 'dev'), info('GET', '/api/v1/namespaces/shop/pods/b')), first);
    assert.equal(first.hand.length, 6);
  });
});
