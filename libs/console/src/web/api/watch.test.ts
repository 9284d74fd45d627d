import assert from 'node:assert/strict';
import { textsOf } from './watch.ts';

const { signal } = new AbortController();

describe('the text of a body', () => {
  it('is read as it arrives', async () => {
    const texts: string[] = [];
    for await (const text of textsOf(new Response('a\nb'), signal)) texts.push(text);
    assert.equal(texts.join(''), 'a\nb');
  });

  it('is given up by whoever stops reading, so that its connection is free', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('a')),
      cancel: () => resolve('cancelled'),
    });
    for await (const text of textsOf(new Response(body), signal)) {
      assert.equal(text, 'a');
      break;
    }
    assert.equal(await promise, 'cancelled');
  });
});
