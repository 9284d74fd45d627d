import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { standardFormats } from './media-types.ts';
import { BodySyntaxError, parseBody } from './parse-body.ts';
import { readAhead } from './read-ahead.ts';

const { serializers } = standardFormats;
const formatOf = (name: string) => serializers.find((format) => format.name === name) ?? serializers[0];
const data = Array.from({ length: 9_000 }, (_, i) => `"k${9_000 - i}":"${'value'.repeat(6)}"`).join(',');
const json = Buffer.from(`{"kind":"ConfigMap","data":{${data},"k1":"again"}}`);
const yaml = Buffer.from(
  `kind: ConfigMap\ndata:\n  ${data.replaceAll(':', ': ').replaceAll(',', '\n  ')}\n  k1: again\n`,
);

describe('a large body', () => {
  for (const [name, body] of [
    ['json', json],
    ['yaml', yaml],
  ] as const) {
    const format = formatOf(name);
    it(`is read ahead as ${name}, with the result of reading in one step`, async () => {
      for (const strict of [true, false]) {
        const ahead = await readAhead(body, name);
        assert(ahead !== undefined);
        const parsed = parseBody(body, format, strict, undefined, undefined, ahead);
        assert.deepEqual(parsed, parseBody(body, format, strict, undefined));
        assert.equal(parsed.duplicates.length, strict ? 1 : 0);
        // A caller that decodes again gets a separate value.
        const again = parseBody(body, format, strict, undefined, undefined, ahead);
        assert.notEqual(again.value, parsed.value);
        assert.deepEqual(again.value, parsed.value);
      }
    });
    it(`reports its errors when it is decoded: ${name}`, async () => {
      const broken = Buffer.concat([body, Buffer.from(name === 'json' ? '}' : ' x')]);
      const ahead = await readAhead(broken, name);
      const decode = () => parseBody(broken, format, true, undefined, undefined, ahead);
      assert.throws(decode, BodySyntaxError);
      assert.throws(decode, BodySyntaxError);
    });
    it(`yields to the event loop: ${name}`, async () => {
      const large = name === 'json' ? `[${Array(8).fill(body).join(',')}]` : `${Array(8).fill(body).join('---\n')}`;
      // A clock on which every reading takes as long as one time slice may.
      let time = performance.now();
      let turns = 0;
      let over = false;
      const turn = () => {
        turns++;
        if (!over) setImmediate(turn);
      };
      setImmediate(turn);
      const clock = mock.method(performance, 'now', () => (time += 20));
      try {
        await readAhead(Buffer.from(large), name);
      } finally {
        clock.mock.restore();
        over = true;
      }
      assert(turns > 100, `${turns}`);
    });
  }
  it('is read ahead only above a size', async () => {
    assert.equal(await readAhead(Buffer.from('{}'), 'json'), undefined);
    assert.equal(await readAhead(json, 'protobuf'), undefined);
  });
});
