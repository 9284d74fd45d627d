import assert from 'node:assert/strict';
import { alwaysAllow } from '@apichain/authz';
import type { AdmissionPlugin } from '@apichain/admission';
import { RestClient } from '@apichain/client';
import { extensionAdmission } from './admission.ts';
import { DelegationTest, flagsOf } from './delegation.fixture.ts';

describe('admission of an extension API server', () => {
  let test: DelegationTest;
  beforeEach(() => {
    test = new DelegationTest();
  });
  afterEach(() => test.close());

  const plugin = (name: string): AdmissionPlugin => ({ name, handles: new Set(['CREATE']), admit: () => undefined });
  const admissionWith = (plugins: readonly AdmissionPlugin[], ...argv: string[]) =>
    extensionAdmission(flagsOf(...argv), {
      stores: () => undefined,
      client: new RestClient(test.core),
      authorizer: alwaysAllow,
      logger: test.logger,
      plugins,
    }).chain.plugins.map(({ name }) => name);
  const standard = [
    'NamespaceLifecycle',
    'MutatingAdmissionPolicy',
    'MutatingAdmissionWebhook',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionWebhook',
  ];

  it('has the plugins of extension API servers, and then those of the server', () => {
    assert.deepEqual(admissionWith([plugin('BanFlunder')]), [...standard, 'BanFlunder']);
    assert.deepEqual(
      admissionWith([plugin('BanFlunder')], '--disable-admission-plugins=BanFlunder,NamespaceLifecycle'),
      standard.slice(1),
    );
  });

  it('refuses plugins that it does not have, and two with one name', () => {
    assert.throws(() => admissionWith([], '--enable-admission-plugins=ResourceQuota'), {
      name: 'FlagError',
      message: 'enable-admission-plugins plugin "ResourceQuota" is unknown',
    });
    assert.throws(() => admissionWith([plugin('NamespaceLifecycle')]), /^FlagError: there are two admission plugins/);
  });
});
