import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import {
  DecryptRequest,
  DecryptResponse,
  EncryptRequest,
  EncryptResponse,
  StatusRequest,
  StatusResponse,
  type MessageFns,
} from './generated/kms.ts';

/** A KMS v2 plugin for tests, on a separate socket. Its replies can be changed while it runs. */
export interface FakePlugin {
  readonly endpoint: string;
  keyId: string;
  healthz: string;
  version: string;
  /** Calls of each method so far. */
  readonly calls: Record<'Status' | 'Encrypt' | 'Decrypt', number>;
  close(): void;
}

function method<Request, Response>(
  name: string,
  request: MessageFns<Request>,
  response: MessageFns<Response>,
): grpc.MethodDefinition<Request, Response> {
  return {
    path: `/v2.KeyManagementService/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (value) => Buffer.from(request.encode(value).finish()),
    requestDeserialize: (bytes) => request.decode(bytes),
    responseSerialize: (value) => Buffer.from(response.encode(value).finish()),
    responseDeserialize: (bytes) => response.decode(bytes),
  };
}

const service = {
  Status: method('Status', StatusRequest, StatusResponse),
  Encrypt: method('Encrypt', EncryptRequest, EncryptResponse),
  Decrypt: method('Decrypt', DecryptRequest, DecryptResponse),
};

const keyOf = (keyId: string) => createHash('sha256').update(keyId).digest();

function encrypt(plaintext: Buffer, keyId: string): Buffer {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', keyOf(keyId), iv);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final()]);
}

function decrypt(ciphertext: Buffer, keyId: string): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', keyOf(keyId), ciphertext.subarray(0, 16));
  return Buffer.concat([decipher.update(ciphertext.subarray(16)), decipher.final()]);
}

/** Starts a fake plugin. */
export async function startFakePlugin(): Promise<FakePlugin> {
  const directory = mkdtempSync(join(tmpdir(), 'apichain-kms-'));
  const socket = join(directory, 'kms.sock');
  const server = new grpc.Server();
  const plugin: FakePlugin = {
    endpoint: `unix://${socket}`,
    keyId: 'key-1',
    healthz: 'ok',
    version: 'v2',
    calls: { Status: 0, Encrypt: 0, Decrypt: 0 },
    close: () => {
      server.forceShutdown();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  server.addService(service, {
    Status: (_call: unknown, reply: grpc.sendUnaryData<StatusResponse>) => {
      plugin.calls.Status++;
      const { version, healthz, keyId } = plugin;
      reply(null, { version, healthz, keyId });
    },
    Encrypt: (
      { request }: grpc.ServerUnaryCall<EncryptRequest, EncryptResponse>,
      reply: grpc.sendUnaryData<EncryptResponse>,
    ) => {
      plugin.calls.Encrypt++;
      const { keyId } = plugin;
      reply(null, {
        ciphertext: encrypt(request.plaintext, keyId),
        keyId,
        annotations: { 'local.example.org': Buffer.from('1') },
      });
    },
    Decrypt: (
      { request }: grpc.ServerUnaryCall<DecryptRequest, DecryptResponse>,
      reply: grpc.sendUnaryData<DecryptResponse>,
    ) => {
      plugin.calls.Decrypt++;
      reply(null, { plaintext: decrypt(request.ciphertext, request.keyId) });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, grpc.ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
  return plugin;
}
