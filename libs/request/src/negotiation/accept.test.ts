import assert from 'node:assert/strict';
import {
  acceptClauses,
  acceptsAny,
  negotiateOutput,
  plainRestrictions,
  requireStream,
  tryNegotiateOutput,
} from './accept.ts';
import { standardFormats } from './media-types.ts';

const restrictions = { table: true, transforms: true, protobuf: true };
const chosen = (accept: string | undefined) => {
  const { serializer, convert } = negotiateOutput(accept, restrictions, standardFormats);
  return convert === undefined ? serializer.name : `${serializer.name} ${convert.kind} ${convert.version}`;
};

describe('Accept', () => {
  it('prefers JSON and follows quality, then specificity', () => {
    assert.equal(chosen(undefined), 'json');
    assert.equal(chosen('*/*'), 'json');
    assert.equal(chosen('application/*'), 'json');
    assert.equal(chosen('application/json;q=0.5, application/yaml'), 'yaml');
    assert.equal(chosen('*/*, application/yaml'), 'yaml');
    assert.equal(chosen('application/vnd.kubernetes.protobuf,application/json'), 'protobuf');
  });

  it('is sorted as in goautoneg: specific ranges precede wildcards, regardless of weights', () => {
    assert.equal(chosen('*/*, application/yaml;q=0.1'), 'yaml');
    assert.equal(chosen('application/yaml;q=0.3,*/*;q=0.9'), 'json');
    assert.equal(chosen('application/json;q=abc,application/yaml;q=0.3'), 'yaml');
    assert.equal(chosen('application/json;q= 1,application/yaml;q=0.3'), 'yaml');
  });

  it('sorts many ranges, and reads at most a thousand', () => {
    const ranges = Array.from({ length: 20_000 }, (_, i) => `a/b;q=0.${String(i).padStart(5, '0')}`);
    const clauses = acceptClauses(ranges.join(','));
    assert.equal(clauses.length, 1000);
    assert.equal(clauses[0]?.quality, 0.00999);
    assert.equal(acceptClauses(`a/b${';c=d'.repeat(1000)}`).length, 1);
    assert.equal(chosen(`${'a/b,'.repeat(20)}*/*,application/yaml`), 'yaml');
  });

  it('ignores parameters without a value or with two values', () => {
    assert.equal(chosen('application/json;as='), 'json');
    assert.equal(chosen('application/json;as=Table=x;g'), 'json');
    assert.equal(tryNegotiateOutput('application/json;sv=v1', plainRestrictions, standardFormats), undefined);
  });

  it('skips clauses with unknown parameters', () => {
    assert.equal(chosen('application/json;as=Table;g=meta.k8s.io;v=v1'), 'json Table v1');
    assert.equal(chosen('application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'), 'json Table v1beta1');
    assert.equal(chosen('application/json;as=Nope;g=meta.k8s.io;v=v1,application/json'), 'json');
    assert.equal(chosen('application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json'), 'json');
    assert.throws(
      () => chosen('application/json;as=Table;g=other;v=v1'),
      /only the following media types are accepted/,
    );
  });

  it('has protobuf only for the metadata of custom resources', () => {
    const custom = { ...restrictions, protobuf: false };
    const name = (accept: string) => tryNegotiateOutput(accept, custom, standardFormats)?.serializer.name;
    const protobuf = 'application/vnd.kubernetes.protobuf';
    assert.equal(name(protobuf), undefined);
    assert.equal(name(`${protobuf},application/json`), 'json');
    assert.equal(name(`${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json`), 'protobuf');
  });

  it('selects media types with a stream serializer', () => {
    requireStream(negotiateOutput('application/json;stream=watch', restrictions, standardFormats), standardFormats);
    const yaml = negotiateOutput('application/yaml', restrictions, standardFormats);
    assert.throws(() => requireStream(yaml, standardFormats), /application\/json;stream=watch/);
  });

  it('is matched exactly before weights and parameters', () => {
    assert.equal(acceptsAny('text/plain, application/json;q=0.1', ['application/json']), true);
    assert.equal(acceptsAny('application/*', ['application/json']), false);
  });
});
