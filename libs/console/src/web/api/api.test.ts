import assert from 'node:assert/strict';
import { refusalOf } from './api.ts';

const yaml = `apiVersion: v1
code: 409
details:
  causes:
  - field: .data.greeting
    message: conflict with "kubectl" using v1
    reason: FieldManagerConflict
kind: Status
message: 'Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.greeting'
metadata: {}
reason: Conflict
status: Failure
`;

describe('a refusal of the server', () => {
  it('is read from a Status in JSON and in YAML', () => {
    const json = JSON.stringify({
      ...{ kind: 'Status', message: 'slow down', reason: 'TooManyRequests', details: { retryAfterSeconds: 2 } },
    });
    assert.deepEqual(
      { ...refusalOf(429, json) },
      { status: 429, reason: 'TooManyRequests', causes: [], retryAfter: 2 },
    );
    const conflict = refusalOf(409, yaml);
    assert.match(conflict.message, /^Apply failed with 1 conflict/);
    assert.deepEqual(
      conflict.causes.map(({ field }) => field),
      ['.data.greeting'],
    );
  });

  it('has the text where it is no Status', () => {
    assert.equal(refusalOf(502, 'bad gateway\n').message, 'bad gateway');
    assert.equal(refusalOf(502, '{broken').message, '{broken');
    assert.equal(refusalOf(502, '', 'Bad Gateway').message, 'Bad Gateway');
  });
});
