import assert from 'node:assert/strict';
import { selectorText } from './label-selector.ts';

it('a LabelSelector becomes the text of a query', () => {
  const matchExpressions = [
    { key: 'tier', operator: 'In', values: ['a', 'b'] },
    { key: 'zone', operator: 'NotIn', values: ['x'] },
    { key: 'here', operator: 'Exists' },
    { key: 'gone', operator: 'DoesNotExist' },
  ];
  const selector = { matchLabels: { app: 'web', 'a.b/c': 'd' }, matchExpressions };
  assert.equal(selectorText(selector), 'app=web,a.b/c=d,tier in (a,b),zone notin (x),here,!gone');
  assert.equal(selectorText(undefined), '');
});
