import assert from 'node:assert/strict';
import { emptied, wholeFloats } from './document-facts.ts';
import { parseJson } from './json.ts';
import { listFacts, restoreFacts, type ListedFacts } from './sent-document.ts';
import { stringifyJson } from './stringify-json.ts';

describe('the facts of a document as plain data', () => {
  it('survive a text', () => {
    const document = { spec: parseJson('{"a":[1.0,2,{"b":3.0}]}'), list: [{ c: { [emptied]: ['x', 'y'], d: 1 } }] };
    const copy: unknown = parseJson(stringifyJson(document));
    assert.deepEqual(listFacts(copy), []);
    const facts = parseJson(stringifyJson(listFacts(document))) as ListedFacts[];
    assert.equal(facts.length, 3);
    assert.deepEqual(restoreFacts(copy, facts), document);
    assert.deepEqual(listFacts(copy), listFacts(document));
    const list = (copy as { spec: { a: { [wholeFloats]?: Set<number> } } }).spec.a;
    assert.deepEqual(list[wholeFloats], new Set([0]));
  });
});
