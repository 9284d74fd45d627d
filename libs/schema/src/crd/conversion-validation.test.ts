import assert from 'node:assert/strict';
import { type FieldError } from '@apichain/meta';
import { metadataRules } from '../metadata-rules.fixture.ts';
import { caBundleProblem, validateConversion } from './conversion-validation.ts';
import { validateCrd } from './crd-validation.ts';

const options = { requireRecognizedReviewVersion: true, allowInvalidCaBundle: true };
const errors = (url: string) => {
  const found: FieldError[] = [];
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url } };
  validateConversion(found, { strategy: 'Webhook', webhook }, 'spec.conversion', options);
  return found.map(({ field, message }) => `${field}: ${message}`);
};
const path = 'spec.conversion.webhookClientConfig.url';
const form = 'desired format: https://host[/path]';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('validation of conversion webhooks', () => {
  it('reads URLs as Go does', () => {
    const required = `${path}: Required value: url must be a valid URL: parse`;
    assert.deepEqual(errors('https://host:port/x'), [
      `${required} "https://host:port/x": invalid port ":port" after host; ${form}`,
    ]);
    assert.deepEqual(errors('https://a b/'), [
      `${required} "https://a b/": invalid character " " in host name; ${form}`,
    ]);
    assert.deepEqual(errors('https://h/%zz'), [`${required} "https://h/%zz": invalid URL escape "%zz"; ${form}`]);
    assert.deepEqual(errors('https://h/a'), []);
  });
  it('requires a valid certificate in a bundle', () => {
    const unable = 'unable to load root certificates:';
    assert.equal(caBundleProblem(base64('none')), `${unable} unable to parse bytes as PEM block`);
    assert.equal(
      caBundleProblem(base64('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n')),
      `${unable} no valid certificate authority data seen`,
    );
    assert.equal(
      caBundleProblem(base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')),
      `${unable} failed to parse certificate: x509: malformed certificate`,
    );
  });
  it('allows no defaults where unknown fields are preserved', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' },
        preserveUnknownFields: true,
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
      status: { storedVersions: ['v1'] },
    };
    assert.deepEqual(
      validateCrd(crd, { metadata: metadataRules }).map(({ message }) => message.replace(/^.*true: /, '')),
      [
        'must be false in order to use defaults in the schema',
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    );
  });
});
