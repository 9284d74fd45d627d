import assert from 'node:assert/strict';
import { splitUrl } from '@apichain/request';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UserInfo } from '@apichain/authn';
import { parseRequestInfo } from '@apichain/request';
import { AuditPolicyEvaluator, type AuditPolicy, type PolicyRule } from './policy.ts';
import { loadPolicy, loadPolicyFile } from './policy-file.ts';

const bob: UserInfo = { name: 'bob', uid: '', groups: ['dev', 'ops'], extra: {} };

function decide(policy: Partial<AuditPolicy> & { rules: readonly PolicyRule[] }, method: string, url: string) {
  const { path, query } = splitUrl(url) ?? assert.fail(url);
  return new AuditPolicyEvaluator(policy).evaluate(bob, parseRequestInfo(method, path, query));
}

const matches = (rule: Omit<PolicyRule, 'level'>, method: string, url: string): boolean =>
  decide({ rules: [{ level: 'Metadata', ...rule }] }, method, url).level === 'Metadata';

describe('an audit policy', () => {
  it('matches users, groups and verbs', () => {
    assert.ok(matches({}, 'GET', '/healthz'));
    assert.ok(matches({ users: ['alice', 'bob'] }, 'GET', '/healthz'));
    assert.ok(!matches({ users: ['alice'] }, 'GET', '/healthz'));
    assert.ok(matches({ userGroups: ['ops'] }, 'GET', '/healthz'));
    assert.ok(!matches({ userGroups: ['admins'] }, 'GET', '/healthz'));
    assert.ok(matches({ verbs: ['watch', 'list'] }, 'GET', '/api/v1/pods?watch=1'));
    assert.ok(!matches({ verbs: ['get'] }, 'GET', '/api/v1/pods'));
    const evaluator = new AuditPolicyEvaluator({ rules: [{ level: 'Metadata', users: ['bob'] }] });
    assert.equal(evaluator.evaluate(undefined, parseRequestInfo('GET', '/healthz')).level, 'None');
  });

  it('matches resources, subresources and names', () => {
    const pod = '/api/v1/namespaces/default/pods/web';
    const core = (...resources: string[]) => ({ resources: [{ group: '', resources }] });
    assert.ok(matches(core('pods'), 'GET', pod));
    assert.ok(!matches(core('pods'), 'GET', `${pod}/log`));
    assert.ok(matches(core('pods/log'), 'GET', `${pod}/log`));
    assert.ok(matches(core('pods/*'), 'GET', pod));
    assert.ok(matches(core('pods/*'), 'GET', `${pod}/log`));
    assert.ok(matches(core('*/log'), 'GET', `${pod}/log`));
    assert.ok(!matches(core('*/log'), 'GET', pod));
    assert.ok(matches(core('*'), 'GET', `${pod}/log`));
    assert.ok(!matches({ resources: [{ group: 'apps' }] }, 'GET', pod));
    assert.ok(matches({ resources: [{ group: '' }] }, 'GET', pod));
    assert.ok(matches({ resources: [{ group: '*', resources: ['pods'] }] }, 'GET', pod));
    const named = { resources: [{ resources: ['pods'], resourceNames: ['web'] }] };
    assert.ok(matches(named, 'GET', pod));
    assert.ok(!matches(named, 'GET', '/api/v1/namespaces/default/pods/db'));
    assert.ok(matches({ namespaces: ['default'] }, 'GET', pod));
    assert.ok(!matches({ namespaces: ['kube-system'] }, 'GET', pod));
    assert.ok(matches({ namespaces: [''] }, 'GET', '/api/v1/nodes'));
    assert.ok(!matches({ namespaces: [''] }, 'GET', '/healthz'));
  });

  it('matches non-resource URLs', () => {
    assert.ok(matches({ nonResourceURLs: ['/healthz*'] }, 'GET', '/healthz/ping'));
    assert.ok(matches({ nonResourceURLs: ['*'] }, 'GET', '/metrics'));
    assert.ok(!matches({ nonResourceURLs: ['/healthz'] }, 'GET', '/healthz/ping'));
    assert.ok(!matches({ nonResourceURLs: ['*'] }, 'GET', '/api/v1/pods'));
  });

  it('uses the first matching rule, and merges the omitted stages', () => {
    const policy: AuditPolicy = {
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { level: 'Request', verbs: ['create'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'RequestResponse', resources: [{ group: '' }] },
      ],
    };
    const created = decide(policy, 'POST', '/api/v1/namespaces/default/pods');
    assert.deepEqual(created, {
      level: 'Request',
      omitStages: new Set(['RequestReceived', 'Panic']),
      omitManagedFields: false,
    });
    const read = decide(policy, 'GET', '/api/v1/pods');
    assert.equal(read.level, 'RequestResponse');
    assert.equal(read.omitManagedFields, true);
    assert.equal(decide(policy, 'GET', '/version').level, 'None');
  });
});

describe('a policy file', () => {
  const refuses = (text: string, message: string) => assert.throws(() => loadPolicy(text), { message });
  const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

  it('is read leniently, with a warning', () => {
    const { policy, warnings } = loadPolicy(
      `${head}omitStages: [RequestReceived]\nrules:\n- level: Metadata\n  colour: red\n  resources:\n  - group: ""\n    resources: [pods]\n`,
    );
    assert.deepEqual(policy.rules, [{ level: 'Metadata', resources: [{ resources: ['pods'] }] }]);
    assert.deepEqual(policy.omitStages, ['RequestReceived']);
    assert.deepEqual(warnings, ['unknown field "rules[0].colour"']);
    const json = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'None' }] });
    assert.deepEqual(loadPolicy(json).policy.rules, [{ level: 'None' }]);
  });

  it('must be of a known kind', () => {
    refuses(
      'rules:\n- level: Metadata\n',
      'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy',
    );
    refuses(
      'apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules:\n- level: Metadata\n',
      'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme "k8s.io/apiserver/pkg/audit/scheme.go:30"',
    );
    refuses(
      `${head}rules: 5\n`,
      'failed decoding: json: cannot unmarshal number into Go struct field Policy.rules of type []v1.PolicyRule',
    );
  });

  it('must be valid', () => {
    refuses(head, 'loaded illegal policy with 0 rules');
    refuses(`${head}rules:\n- users: [a]\n`, 'rules[0].level: Required value');
    refuses(
      `${head}rules:\n- level: Everything\n`,
      'rules[0].level: Unsupported value: "Everything": supported values: "None", "Metadata", "Request", "RequestResponse"',
    );
    refuses(
      `${head}omitStages: [Never]\nrules:\n- level: None\n`,
      'omitStages[0]: Invalid value: "Never": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    );
    refuses(
      `${head}rules:\n- level: None\n  nonResourceURLs: [healthz, "/a*b"]\n`,
      `[rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule]`,
    );
    refuses(
      `${head}rules:\n- level: None\n  nonResourceURLs: ["/a"]\n  namespaces: [x]\n`,
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    );
    refuses(
      `${head}rules:\n- level: None\n  resources:\n  - resourceNames: [x]\n`,
      'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
    );
    assert.throws(
      () => loadPolicy(`${head}rules:\n- level: None\n  resources:\n  - group: rbac.authorization.k8s.io/v1\n`),
      /^Error: rules\[0\]\.resources\.group: Invalid value: "rbac\.authorization\.k8s\.io\/v1": a lowercase RFC 1123 subdomain/,
    );
  });

  it('is named in errors', () => {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-audit-'));
    const path = join(directory, 'policy.yaml');
    assert.throws(() => loadPolicyFile(path), {
      message: `failed to read file path ${JSON.stringify(path)}: open ${path}: no such file or directory`,
    });
    writeFileSync(path, head);
    assert.throws(() => loadPolicyFile(path), { message: `loaded illegal policy with 0 rules: from file ${path}` });
    rmSync(directory, { recursive: true });
  });
});
