import assert from 'node:assert/strict';
import { fieldLines } from './field-lines.ts';

const text = `metadata:
  labels:
    app.kubernetes.io/name: web
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: side
      - name: web
        image: x
        ports:
        - containerPort: 80
          protocol: TCP
  finalizers: [a, b]
`;

describe('the line of a field', () => {
  const lineOf = fieldLines(text);
  for (const [field, line] of [
    ['spec.replicas', 5],
    ['.spec.replicas', 5],
    ['spec.template.spec.containers[1].image', 11],
    ['.spec.template.spec.containers[name="web"].image', 11],
    ['.spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]', 13],
    ['metadata.labels[app.kubernetes.io/name]', 3],
    ['.spec.finalizers[="b"]', 15],
  ] as const)
    it(`${field} is line ${line}`, () => assert.equal(lineOf(field), line));

  it('of a missing field is that of the nearest field above', () => {
    assert.equal(lineOf('spec.template.spec.containers[0].image'), 9);
    assert.equal(lineOf('spec.selector'), 4);
  });

  it('is not there when nothing of the path is', () => {
    assert.equal(lineOf('status.phase'), undefined);
    assert.equal(fieldLines('')('spec'), undefined);
    assert.equal(fieldLines('a: [')('spec'), undefined);
    for (const odd of ['', '[', ']', '[[a', '[=', '[="', '["\\x"', '[a="\\x00"]', '..', 'a]b'])
      assert.equal(lineOf(odd), undefined, odd);
  });
});
