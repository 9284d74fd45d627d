import assert from 'node:assert/strict';
import { isDemandedNode } from './node-affinity.ts';

describe('the nodes that a pod demands', () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels: { zone: 'a', cpus: '8' } } };
  const terms = (...nodeSelectorTerms: object[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  });
  for (const [what, spec, expected] of [
    ['no requirement', {}, true],
    ['a selector', { nodeSelector: { zone: 'a' } }, true],
    ['a selector of another value', { nodeSelector: { zone: 'b' } }, false],
    ['In', terms(expression('zone', 'In', 'a', 'b')), true],
    ['NotIn', terms(expression('zone', 'NotIn', 'a')), false],
    ['NotIn without the label', terms(expression('rack', 'NotIn', 'a')), true],
    ['Exists', terms(expression('rack', 'Exists')), false],
    ['DoesNotExist', terms(expression('rack', 'DoesNotExist')), true],
    ['Gt', terms(expression('cpus', 'Gt', '4')), true],
    ['Lt', terms(expression('cpus', 'Lt', '4')), false],
    ['Gt of more than 64 bits', terms(expression('cpus', 'Gt', '-9223372036854775809')), false],
    ['an unknown operator', terms(expression('zone', 'Near', 'a')), false],
    ['Gt of a text', terms(expression('zone', 'Gt', '4')), false],
    ['one of several terms', terms(expression('zone', 'In', 'b'), expression('zone', 'In', 'a')), true],
    ['an empty term', terms({}), false],
    ['its name', terms({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }), true],
    ['another name', terms({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }), false],
  ] as const)
    it(`${what}: ${expected}`, () => assert.equal(isDemandedNode({ spec }, node), expected));
});
