import assert from 'node:assert/strict';
import * as field from './field-error.ts';
import { validateFieldManager, validateObjectMeta } from './object-meta.ts';
import { newInvalid } from './status.ts';
import { withoutTrailing } from './without-trailing.ts';

describe('errors of long lists', () => {
  it('make no text that nobody reads', () => {
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

  it('are collected up to a bound, and the check ends there', () => {
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

  it('show about a megabyte, and that there is more', () => {
    const long = 'x'.repeat(100_000);
    const errors = Array.from({ length: 1_000 }, (_, i) => field.invalid(`a[${i}]`, long));
    const { message, details } = newInvalid({ group: '', kind: 'Pod' }, 'a', errors).status;
    assert.ok((message?.length ?? 0) < 1_200_000, String(message?.length));
    assert.match(message ?? '', /, and more\]$/);
    assert.equal(details?.causes?.length, 10);
  });

  it('of owners and managers take no square of memory', () => {
    const owner = (i: number) => ({ apiVersion: 'v1', kind: 'Pod', name: `n${i}`, uid: `u${i}`, controller: true });
    const ownerReferences = Array.from({ length: 20_000 }, (_, i) => owner(i));
    const errors = validateObjectMeta({ name: 'a', ownerReferences }, false, () => [], 'metadata');
    assert.equal(errors.length, field.maxErrors);
    assert.ok(field.aggregateFieldErrors(errors).length < 4_000_000);
    assert.equal(validateFieldManager('\u0001'.repeat(1_000_000), 'manager').length, field.maxErrors);
  });

  it('cut what repeats at an end', () => {
    assert.equal(withoutTrailing('/a//b///', '/'), '/a//b');
    assert.equal(withoutTrailing('///', '/'), '');
    assert.equal(withoutTrailing('a', '/'), 'a');
  });
});
