import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { acceptableAuthority, mayHaveBadAuthority } from './authority.ts';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const settings = Buffer.from('000000040000000000', 'hex');
const acknowledged = Buffer.from('000000040100000000', 'hex');
/** The first bytes that gRPC in Go sends to `http://127.0.0.1:23900`, in Huffman code: :method, :scheme, :path; :authority; content-type, te. */
const before = '8386459760a924882d9dcb6571afa066a925a87510ac6e48d36a3f';
const coded = '41909d29aee30c044eae05c0b86e0997c00f';
const after = '5f8b1d75d0620d263d4c4d656440027465864d833505b11f';
const data = Buffer.from('00000500010000000100000000', 'hex');

function headers(block: string, flags = 4): Buffer {
  const payload = Buffer.from(block, 'hex');
  const head = Buffer.from([0, 0, 0, 1, flags, 0, 0, 0, 1]);
  head.writeUIntBE(payload.length, 0, 3);
  return Buffer.concat([head, payload]);
}
const plain = (text: string) => `41${Buffer.from([text.length]).toString('hex')}${Buffer.from(text).toString('hex')}`;
const connection = (frame: Buffer) => Buffer.concat([preface, settings, acknowledged, frame, data]);
const passed = (sent: Buffer, pieceBytes = sent.length) => {
  const acceptable = acceptableAuthority();
  const pieces = [];
  for (let at = 0; at < sent.length; at += pieceBytes) pieces.push(acceptable(sent.subarray(at, at + pieceBytes)));
  return Buffer.concat(pieces).toString('hex');
};

describe('acceptableAuthority', () => {
  const mended = connection(headers(before + plain('http:--127.0.0.1:23900') + after)).toString('hex');

  it('removes the scheme from the first authority, with any split of the bytes', () => {
    const sent = connection(headers(before + coded + after));
    for (const bytes of [sent.length, 1, 7, 40]) assert.equal(passed(sent, bytes), mended);
    assert.equal(passed(connection(headers(before + plain('http://127.0.0.1:23900') + after))), mended);
    const priority = '0000000010';
    assert.equal(
      passed(connection(headers(priority + before + coded + after, 0x24))),
      connection(headers(priority + before + plain('http:--127.0.0.1:23900') + after, 0x24)).toString('hex'),
    );
  });

  it('forwards all other bytes unchanged', () => {
    for (const frame of [
      headers(before + plain('127.0.0.1:2379') + after),
      headers(before + after),
      headers(before + '41ff'),
      headers(`${before}4190`),
      headers('00' + before + coded, 0x0c),
      Buffer.from('ffffff010400000001', 'hex'),
    ]) {
      const sent = connection(frame);
      assert.equal(passed(sent), sent.toString('hex'));
    }
    const two = Buffer.concat([connection(headers(before + coded)), headers(before + coded)]);
    assert.ok(passed(two).endsWith(headers(before + coded).toString('hex')), 'only the first is looked at');
  });
});

describe('mayHaveBadAuthority', () => {
  it('is true for connections without settings, and false for grpc-js', async () => {
    assert.ok(mayHaveBadAuthority(Buffer.concat([preface, settings])));
    assert.ok(mayHaveBadAuthority(preface.subarray(0, 10)));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      settings: { initialWindowSize: 65_535 },
    });
    session.on('error', () => undefined);
    const [socket] = (await once(server, 'connection')) as [Socket];
    const [first] = (await once(socket, 'data')) as [Buffer];
    assert.ok(!mayHaveBadAuthority(first));
    session.destroy();
    socket.destroy();
    server.close();
  });
});
