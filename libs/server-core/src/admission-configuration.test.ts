import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admissionOptions, parseFlags } from '@apichain/apiserver-options';
import { pluginConfiguration } from './admission-configuration.ts';
import { kubeCoreFlags } from './options.ts';

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
  const off = ['PodNodeSelector', 'PodTolerationRestriction', 'EventRateLimit'];
  const readFile = (path: string, enabled = off, more: readonly string[] = []) => {
    const enable = enabled.length === 0 ? [] : [`--enable-admission-plugins=${enabled.join(',')}`];
    const options = admissionOptions(
      parseFlags(kubeCoreFlags, [...enable, `--admission-control-config-file=${path}`, ...more]),
    );
    return { ...pluginConfiguration(options), ...options.generic };
  };
  const header = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n';
  const read = (plugins: string, enabled?: string[]) => readFile(write('a.yaml', header + plugins), enabled);

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
  configuration:
    {apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration, default: [{key: a, operator: Exists}]}
- name: EventRateLimit
  configuration:
    {apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: [{type: User, qps: 5, burst: 10}]}
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources: [{resource: pods, matchContains: [cpu]}]
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
      podTolerations: { defaults: [{ key: 'a', operator: 'Exists' }], whitelist: [] },
      eventLimits: [{ type: 'User', qps: 5, burst: 10 }],
      limitedResources: [{ group: '', resource: 'pods', matchContains: ['cpu'], matchScopes: [] }],
      webhookUsers: {},
    });
    assert.deepEqual(readFile('', []), { limitedResources: [], webhookUsers: {} });
    // A configuration file in the old format, and plugins that are not enabled.
    assert.deepEqual(readFile(join(directory, 'selectors.yaml'), ['PodNodeSelector']).podNodeSelector, {
      clusterDefaultNodeSelector: 'a=b',
      whitelists: { ns: 'c=d' },
    });
    read('- {name: EventRateLimit, path: none.yaml}', []);
  });

  it('finds the policy of images', () => {
    write(
      'images.kubeconfig',
      'clusters: [{name: c, cluster: {server: "https://127.0.0.1:1/x"}}]\nusers: [{name: u, user: {}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n',
    );
    const { imagePolicy } = read(
      `- {name: ImagePolicyWebhook, configuration: {imagePolicy: {kubeConfigFile: ${join(directory, 'images.kubeconfig')}, allowTTL: 10, denyTTL: -1, defaultAllow: true}}}`,
      ['ImagePolicyWebhook'],
    );
    assert.deepEqual(
      { ...imagePolicy, webhook: undefined },
      { webhook: undefined, allowTtlMs: 10_000, denyTtlMs: 0, defaultAllow: true },
    );
  });

  it('is refused in the words of kube-apiserver', () => {
    const couldNot = (plugin: string, why: string) => `couldn't init admission plugin "${plugin}": ${why}`;
    const podSecurity = (rest: string) =>
      `- {name: PodSecurity, configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, ${rest}}}`;
    const images = '- {name: ImagePolicyWebhook, configuration: {imagePolicy: {allowTTL: 99999}}}';
    const failed = (plugins: string, enabled: string[], message: string) =>
      assert.throws(() => read(plugins, enabled), { message: `failed to apply admission: ${message}` });
    failed(
      podSecurity('defaults: {enforce: strict, warn-version: "1.2"}'),
      [],
      'failed to initialize admission plugin "PodSecurity": PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, warn-version: must be "latest" or "v1.x"]',
    );
    failed(
      podSecurity('exemptions: {usernames: [""], namespaces: [x, x]}'),
      [],
      'failed to initialize admission plugin "PodSecurity": PodSecurity invalid: [exemptions.namespaces[1]: Duplicate value: "x", exemptions.usernames[0]: Invalid value: "": username must not be empty]',
    );
    failed(podSecurity('bogus: 1'), [], couldNot('PodSecurity', 'strict decoding error: unknown field "bogus"'));
    failed(
      images,
      ['ImagePolicyWebhook'],
      couldNot('ImagePolicyWebhook', 'valid value is between 1s and 30m0s, got 27h46m39s'),
    );
    failed('  []', ['ImagePolicyWebhook'], couldNot('ImagePolicyWebhook', 'no config specified'));
    failed('  []', ['EventRateLimit'], couldNot('EventRateLimit', 'limits: Invalid value: null: must not be empty'));
    failed(
      '- {name: PodTolerationRestriction, configuration: {apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration, whitelist: [{key: a, operator: Foo}]}}',
      ['PodTolerationRestriction'],
      couldNot(
        'PodTolerationRestriction',
        'invalid config: [podtolerationrestriction.whitelist[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists"]',
      ),
    );
    failed(
      '- {name: ResourceQuota, configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{}]}}',
      [],
      couldNot('ResourceQuota', 'limitedResources[0].resource: Required value'),
    );
    failed(
      '- {name: ValidatingAdmissionWebhook, configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: a}}',
      [],
      couldNot('ValidatingAdmissionWebhook', 'kubeConfigFile: Invalid value: "a": must be an absolute file path'),
    );
    assert.throws(() => readFile('/nowhere.yaml', []), {
      message:
        'failed to apply admission: failed to read plugin config: unable to read admission control configuration from "/nowhere.yaml" [open /nowhere.yaml: no such file or directory]',
    });
    const other = (text: string, why: string) =>
      assert.throws(() => readFile(write('b.yaml', text), []), {
        message: `failed to apply admission: failed to read plugin config: ${why}`,
      });
    other(
      'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n',
      'unexpected type: *apiserver.EncryptionConfiguration',
    );
    other('foo: bar\n', "Object 'Kind' is missing in 'foo: bar\n'");
  });

  it('goes with flags that select plugins', () => {
    const selection = (...flags: string[]) => admissionOptions(parseFlags(kubeCoreFlags, flags)).selection;
    assert.throws(
      () => selection('--enable-admission-plugins=A,AlwaysDeny', '--disable-admission-plugins=AlwaysDeny'),
      {
        message:
          '[enable-admission-plugins plugin "A" is unknown, [AlwaysDeny] in enable-admission-plugins and disable-admission-plugins overlapped]',
      },
    );
    assert.throws(() => selection('--admission-control=A'), { message: 'admission-control plugin "A" is unknown' });
    assert.throws(() => selection('--admission-control=AlwaysDeny', '--enable-admission-plugins=AlwaysAdmit'), {
      message: 'admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive',
    });
    const only = selection('--admission-control=LimitRanger,AlwaysDeny');
    assert.deepEqual(only.enable, ['LimitRanger', 'AlwaysDeny']);
    assert.ok(only.disable.includes('ResourceQuota'));
  });
});
