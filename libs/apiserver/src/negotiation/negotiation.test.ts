import assert from 'node:assert/strict';
import {
  acceptClauses,
  acceptsAny,
  negotiateOutput,
  plainRestrictions,
  requireStream,
  standardFormats,
  tryNegotiateOutput,
} from '@apichain/request';
import { parseMediaType } from '@apichain/request';
import { parseQuery } from '@apichain/request';
import { readListOptions, readPatchOptions } from './request-options.ts';

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

describe('Content-Type', () => {
  it('is read as Go reads it', () => {
    assert.equal(parseMediaType('application/JSON; charset=utf-8')?.mediaType, 'application/json');
    assert.equal(parseMediaType('application/json;a'), undefined);
    for (const parameters of ['charset=', 'a="b', 'a=b;a=c'])
      assert.equal(parseMediaType(`application/json;${parameters}`), undefined);
    assert.equal(parseMediaType('application/json;a=""')?.parameters.get('a'), '');
    assert.equal(parseMediaType('application/'), undefined);
    assert.equal(parseMediaType('*/*')?.mediaType, '*/*');
  });
});

describe('query parameters', () => {
  it('drop pairs that cannot be decoded and use the first of several', () => {
    const query = parseQuery('/x?a=%zz&b=1&b=2&%zz=3&c&d=%C3%BC+x');
    assert.equal(query.has('a'), false);
    assert.equal(query.text('b'), '1');
    assert.deepEqual(query.all('b'), ['1', '2']);
    assert.equal(query.boolean('c'), true);
    assert.equal(query.text('d'), 'ü x');
    assert.equal(parseQuery('/x?w=False').boolean('w'), false);
    assert.equal(parseQuery('/x?w=true;').boolean('w'), undefined);
    assert.equal(parseQuery('/x?w=true&w=0').boolean('w'), true);
    assert.equal(parseQuery(`/x?a=1${'&'.repeat(9_999)}`).text('a'), '1');
    assert.equal(parseQuery(`/x?a=1${'&'.repeat(10_000)}`).has('a'), false);
  });

  it('refuse invalid numbers with the messages of Go', () => {
    assert.throws(() => parseQuery('/x?limit=').integer('limit'), /strconv.ParseInt: parsing "": invalid syntax/);
    assert.equal(parseQuery(`/x?limit=-${'0'.repeat(1_000)}12`).integer('limit'), -12);
    assert.throws(() => parseQuery(`/x?limit=${'9'.repeat(100_000)}`).integer('limit'), /value out of range/);
    assert.throws(() => parseQuery('/x?limit=9223372036854775808').integer('limit'), /value out of range/);
  });

  it('make a watch without resourceVersion a streaming list', () => {
    const { options, watch } = readListOptions(parseQuery('/x?watch=1&resourceVersion=0'));
    assert.equal(watch, true);
    assert.equal(options.sendInitialEvents, true);
    assert.throws(() => readListOptions(parseQuery('/x?watch=1&continue=e30')), /forbidden when continue is provided/);
    assert.throws(
      () => readListOptions(parseQuery('/x?sendInitialEvents=true')),
      /sendInitialEvents is forbidden for list/,
    );
  });

  it('require a field manager for apply and refuse force for other patches', () => {
    assert.throws(
      () => readPatchOptions(parseQuery('/x'), true),
      /fieldManager: Required value: is required for apply patch/,
    );
    assert.throws(
      () => readPatchOptions(parseQuery('/x?force=true'), false),
      /may not be specified for non-apply patch/,
    );
    assert.equal(readPatchOptions(parseQuery('/x?fieldManager=m&force=true'), true).force, true);
  });
});
