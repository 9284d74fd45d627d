import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAdmissionConfiguration } from './admission-configuration.ts';

describe('the configuration of admission plugins', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'admission-configuration-'));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const write = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const read = (plugins: string) =>
    readAdmissionConfiguration(
      write('a.yaml', `apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n${plugins}`),
    );

  it('is read from the file and those it names', () => {
    write('selectors.yaml', 'podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: a=b, ns: c=d}');
    const configuration = read(`
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline, enforce-version: v1.30, warn: restricted}
    exemptions: {usernames: [root], runtimeClasses: [vm], namespaces: [kube-system]}
- {name: PodNodeSelector, path: selectors.yaml}
- name: PodTolerationRestriction
  configuration: {default: [{key: a, operator: Exists}]}
- name: EventRateLimit
  configuration: {limits: [{type: User, qps: 5, burst: 10}]}
- name: AlwaysPullImages
`);
    assert.deepEqual(configuration, {
      podSecurity: {
        defaults: {
          enforce: { level: 'baseline', version: 30 },
          audit: { level: 'privileged', version: 'latest' },
          warn: { level: 'restricted', version: 'latest' },
        },
        exemptions: { usernames: ['root'], runtimeClasses: ['vm'], namespaces: ['kube-system'] },
      },
      podNodeSelector: { clusterDefaultNodeSelector: 'a=b', whitelists: { ns: 'c=d' } },
      podTolerations: { defaults: [{ key: 'a', operator: 'Exists' }] },
      eventLimits: [{ type: 'User', qps: 5, burst: 10 }],
    });
    assert.deepEqual(readAdmissionConfiguration(''), {});
  });

  it('is refused with one line when it makes no sense or would not be in force', () => {
    const refused = (plugins: string, message: RegExp) => assert.throws(() => read(plugins), message);
    refused(
      '- {name: PodSecurity, configuration: {defaults: {enforce: strict}}}',
      /--admission-control-config-file: PodSecurity: .*must be one of privileged, baseline, restricted/,
    );
    refused('- {name: EventRateLimit, configuration: {limits: []}}', /EventRateLimit: limits: Required value/);
    refused('- {name: ImagePolicyWebhook, configuration: {}}', /plugin ImagePolicyWebhook is not supported/);
    refused('- {name: PodSecurity, path: none.yaml}', /none\.yaml/);
    const other = write('b.yaml', 'kind: Pod\napiVersion: v1\n');
    assert.throws(() => readAdmissionConfiguration(other), /it is no AdmissionConfiguration/);
  });
});
