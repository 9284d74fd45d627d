import { credentials, makeGenericClientConstructor, type Client, type ServiceError } from '@grpc/grpc-js';
import {
  deleteRangeRequest,
  EtcdServerError,
  putRequest,
  rangeRequest,
  watchCreateRequest,
  watchRequest,
} from '@apichain/etcd-api';
import {
  ClusterService,
  KVService,
  LeaseService,
  MaintenanceService,
  WatchService,
  type SnapshotResponse,
  type TxnRequest,
  type WatchRequest,
  type WatchResponse,
} from '@apichain/etcd-api/etcdserverpb';

/*
 * A client for the tests of this library. Its requests name only the relevant fields.
 */

interface UnaryDefinition<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (request: Request) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

const services = { ...KVService, ...LeaseService, ...ClusterService, ...MaintenanceService };

/** A client of the etcd at `url`. A rejected call rejects with EtcdServerError. */
export function testClient(url: string) {
  const Constructor = makeGenericClientConstructor(services, 'Etcd');
  const client: Client = new Constructor(url.replace('http://', ''), credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  const call = <Request, Response>(method: UnaryDefinition<Request, Response>, request: Request): Promise<Response> =>
    new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response?: Response) => {
        if (error !== null) reject(new EtcdServerError(error.code, error.details));
        else if (response !== undefined) resolve(response);
      };
      client.makeUnaryRequest(method.path, method.requestSerialize, method.responseDeserialize, request, done);
    });
  return {
    call,
    put: (request: Parameters<typeof putRequest>[0]) => call(KVService.put, putRequest(request)),
    range: (request: Parameters<typeof rangeRequest>[0]) => call(KVService.range, rangeRequest(request)),
    deleteRange: (request: Parameters<typeof deleteRangeRequest>[0]) =>
      call(KVService.deleteRange, deleteRangeRequest(request)),
    txn: (request: Partial<TxnRequest>) => call(KVService.txn, { compare: [], success: [], failure: [], ...request }),
    compact: (revision: number) => call(KVService.compact, { revision, physical: true }),
    watch: () => openWatch(client),
    snapshot: () => takeSnapshot(client),
    close: () => {
      client.close();
    },
  };
}
export type TestClient = ReturnType<typeof testClient>;

/** The file that a snapshot streams. */
async function takeSnapshot(client: Client): Promise<Buffer> {
  const { path, requestSerialize, responseDeserialize } = MaintenanceService.snapshot;
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {});
  const blobs: Buffer[] = [];
  for await (const { blob } of stream as AsyncIterable<SnapshotResponse>) blobs.push(blob);
  return Buffer.concat(blobs);
}

/** A watch stream that records its responses. */
function openWatch(client: Client) {
  const { path, requestSerialize, responseDeserialize } = WatchService.watch;
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  const responses: WatchResponse[] = [];
  let arrived = Promise.withResolvers<void>();
  stream.on('data', (received: WatchResponse) => {
    responses.push(received);
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  stream.on('error', () => {
    arrived.resolve();
  });
  const send = (request: Partial<WatchRequest>) => stream.write(watchRequest(request));
  return {
    stream,
    responses,
    create: (request: Parameters<typeof watchCreateRequest>[0]) => send({ createRequest: watchCreateRequest(request) }),
    cancel: (watchId: number) => send({ cancelRequest: { watchId } }),
    requestProgress: () => send({ progressRequest: {} }),
    /** Resolves when the responses received so far satisfy `enough`. */
    until: async (enough: (responses: readonly WatchResponse[]) => boolean): Promise<void> => {
      while (!enough(responses)) await arrived.promise;
    },
    close: () => {
      stream.cancel();
    },
  };
}
export type TestWatch = ReturnType<typeof openWatch>;

export const bytes = (text: string): Buffer => Buffer.from(text);
