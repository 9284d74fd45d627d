import assert from 'node:assert/strict';
import * as field from './field-error.ts';
import { finish } from './turns.ts';

const names = (n: number, prefix = 'n') => Array.from({ length: n }, (_, i) => `${prefix}${i}`);
const fields = (errors: readonly field.FieldError[]) => errors.map((error) => error.field);

describe('checks in steps', () => {
  const check = (long: number) => () =>
    field.collect((out) => {
      const seen = new Set<string>();
      out.push(field.required('first'));
      field.checkEach(out, names(long), (found, name, i) => {
        if (i === long - 1) found.push(field.required(`long[${i}]`));
        seen.add(name);
      });
      out.push(field.required('between'));
      field.checkEach(out, ['n1', 'x'], (found, name) => {
        if (seen.has(name)) found.push(field.duplicate(name, name));
        field.checkEach(found, names(long), (deep, inner, i) => {
          if (i === 0) deep.push(field.required(`${name}.${inner}`));
        });
      });
      field.checkAfterwards(out, (found) => {
        if (!seen.has(`n${long - 1}`)) found.push(field.required('all seen'));
      });
      out.push(field.required('last'));
    });

  it('find the same errors in the same order as in one step', () => {
    for (const long of [3, 5_000]) {
      const expected = ['first', `long[${long - 1}]`, 'between', 'n1', 'n1.n0', 'x.n0', 'last'];
      assert.deepEqual(fields(finish(field.checkInSteps(check(long)))), expected);
      assert.deepEqual(fields(check(long)()), expected);
    }
  });

  it('yield within long lists, and never within short ones', () => {
    const steps = (long: number) => {
      const work = field.checkInSteps(check(long));
      let count = 0;
      while (work.next().done !== true) count++;
      return count;
    };
    assert.equal(steps(20), 0);
    assert.ok(steps(20_000) > 3 * (20_000 / 512), String(steps(20_000)));
  });

  it('stop at the maximal number of errors', () => {
    const all = field.checkInSteps(
      () =>
        field.collect((out) => field.checkEach(out, names(30_000), (found, name) => found.push(field.required(name)))),
      () => [field.required('more')],
    );
    assert.equal(finish(all).length, field.maxErrors);
  });

  it('are complete for nested checks', () => {
    const found = finish(
      field.checkInSteps(() =>
        field.collect((out) => {
          const inner = field.collect((own) => {
            field.checkEach(own, names(1_000), (each, name, i) => {
              if (i % 2 === 0) each.push(field.required(name));
            });
          });
          out.push(field.invalid('inner', inner.length));
        }),
      ),
    );
    assert.deepEqual(
      found.map(({ message }) => message),
      ['Invalid value: 500'],
    );
  });
});
