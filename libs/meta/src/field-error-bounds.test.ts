import assert from 'node:assert/strict';
import { maxQuotedText } from '@apichain/go-text';
import * as field from './field-error.ts';
import { validateFieldManager, validateObjectMeta } from './object-meta.ts';
import { newInvalid } from './status.ts';
import { withoutTrailing } from './without-trailing.ts';

describe('errors of long lists', () => {
  it('create no text that is not used', () => {
    let made = 0;
    const value = {
      toJSON: () => {
        made++;
        return 'x';
      },
    };
    const error = field.invalid('a', value);
    assert.equal(made, 0);
    assert.match(error.message, /^Invalid value: /);
    assert.deepEqual(
      { ...field.required('a', 'why') },
      { reason: 'FieldValueRequired', field: 'a', message: 'Required value: why' },
    );
  });

  it('are collected up to a bound, which ends the check', () => {
    let checked = 0;
    const found = field.collect((out) => {
      for (; checked < 1_000_000; checked++) out.push(field.required(`a[${checked}]`));
    });
    assert.equal(found.length, field.maxErrors);
    assert.ok(checked < field.maxErrors);
    const nested = field.collect((out) => {
      out.push(...field.collect((inner) => inner.push(field.required('b'))));
      field.collect(() => {
        for (;;) out.push(field.required('c'));
      });
    });
    assert.equal(nested.length, field.maxErrors);
    assert.throws(() => field.collect(() => assert.fail('a fault of the check')), /a fault of the check/);
  });

  it('show a bounded text with a note of the rest', () => {
    const long = 'x'.repeat(10_000);
    const errors = Array.from({ length: 1_000 }, (_, i) => field.invalid(`a[${i}]`, long));
    const { message, details } = newInvalid({ group: '', kind: 'Pod' }, 'a', errors).status;
    assert.ok((message?.length ?? 0) < 1.2 * field.maxShownText, String(message?.length));
    assert.match(message ?? '', /, and more\]$/);
    assert.equal(details?.causes?.length, 26);
  });

  it('quote the beginning of a long text, and the omitted length', () => {
    const { message } = field.invalid('a', '"'.repeat(maxQuotedText + 7));
    assert.ok(message.length < 3 * maxQuotedText, String(message.length));
    assert.match(message, /^Invalid value: "(?:\\")+" and 7 more characters$/);
    assert.equal(field.invalid('a', '"'.repeat(maxQuotedText)).message.length, 17 + 2 * maxQuotedText);
    const halved = field.invalid('a', `${'x'.repeat(maxQuotedText - 1)}\u{1F4A9}`).message;
    assert.match(halved, /x" and 2 more characters$/);
  });

  it('of owners and managers take linear memory', () => {
    const owner = (i: number) => ({ apiVersion: 'v1', kind: 'Pod', name: `n${i}`, uid: `u${i}`, controller: true });
    const ownerReferences = Array.from({ length: 20_000 }, (_, i) => owner(i));
    const errors = validateObjectMeta({ name: 'a', ownerReferences }, false, () => [], 'metadata');
    assert.equal(errors.length, field.maxErrors);
    assert.ok(field.aggregateFieldErrors(errors).length < 4_000_000);
    assert.equal(validateFieldManager('\u0001'.repeat(1_000_000), 'manager').length, field.maxErrors);
  });

  it('truncate repeated values', () => {
    assert.equal(withoutTrailing('/a//b///', '/'), '/a//b');
    assert.equal(withoutTrailing('///', '/'), '');
    assert.equal(withoutTrailing('a', '/'), 'a');
  });
});
