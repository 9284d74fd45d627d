import {
  defineResource,
  EtcdStorage,
  etcdOptions,
  GenericApiServer,
  groupVersionInstaller,
  installAdmission,
  serverConfig,
  type ResourceDefinition,
} from '@apichain/apiserver';
import { parseFlags, serviceFlags } from '@apichain/apiserver-options';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { coreApiOf, delegationFlags } from '@apichain/extension-server/core-api';
import { builtinProtobuf, flowControlSource } from '@apichain/kinds/model';
import { formatGroupVersion, isRecord, newBadRequest, type JsonValue, type KubeObject } from '@apichain/meta';
import { createLogger } from '@apichain/request';
import { Registry } from 'prom-client';

/** The kind of the extension API server for tests: any fields, no validation. */
export const flunderKind = { group: 'wardle.example.com', version: 'v1', kind: 'Flunder' };

const definition: Omit<ResourceDefinition, 'openStorage'> = {
  prefix: '/wardle.example.com/flunders',
  versions: [
    {
      info: {
        kind: flunderKind,
        listKind: 'FlunderList',
        plural: 'flunders',
        singular: 'flunder',
        namespaced: true,
        shortNames: [],
        categories: [],
      },
      type: { kind: 'object', fields: [], byName: new Map(), preserveUnknownFields: true },
      codec: {
        kind: flunderKind,
        storageKind: flunderKind,
        custom: true,
        decode: (value: JsonValue) => ({ object: flunderOf(value), unknownFields: [] }),
        toStorage: (object) => object,
        fromStorage: (object) => object,
        convert: (object) => object,
      },
    },
  ],
  strategy: {
    namespaceScoped: true,
    validateName: () => [],
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate: () => undefined,
    prepareForUpdate: () => undefined,
  },
};

function flunderOf(value: JsonValue): KubeObject {
  if (!isRecord(value)) throw newBadRequest('a flunder is an object');
  const { metadata, ...fields } = value;
  return {
    ...fields,
    kind: flunderKind.kind,
    apiVersion: formatGroupVersion(flunderKind),
    metadata: isRecord(metadata) ? metadata : {},
  };
}

/** An extension API server in this process. */
export interface FlunderServer {
  readonly url: string;
  readonly port: number;
  /** The messages of its log. */
  readonly log: readonly string[];
  readonly server: GenericApiServer;
  close(): Promise<void>;
}

/** Starts an extension API server of flunders, in memory, with the access and the admission of the core API. Resolves when it listens. */
export async function startFlunderServer(argv: readonly string[]): Promise<FlunderServer> {
  const etcdServer = await startEmbeddedEtcd({ inProcess: true, memory: true });
  const log: string[] = [];
  const logger = createLogger('wardle', 0, { write: (line) => log.push(line) });
  const flags = parseFlags(serviceFlags(delegationFlags), [
    `--etcd-servers=${etcdServer.url}`,
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    ...argv,
  ]);
  const metricsRegistry = new Registry();
  const etcd = new EtcdStorage(etcdOptions(flags), metricsRegistry);
  const core = await coreApiOf(flags, { name: 'wardle', logger }).catch(async (error: unknown) => {
    await etcdServer.close();
    throw error;
  });
  await etcd.prepare();
  const { chain, dynamic } = core.admission();
  const config = await serverConfig(flags, {
    name: 'wardle',
    access: core.access,
    logger,
    protobuf: builtinProtobuf,
    installer: groupVersionInstaller({
      admission: chain,
      authorizer: core.access.authorization.authorizer,
      protobuf: builtinProtobuf,
      minRequestTimeout: 1_800,
    }),
  });
  const server = new GenericApiServer({
    ...config,
    metricsRegistry,
    flowControl: flowControlSource({ etcd, open: core.stores }),
  });
  const flunders = defineResource({
    ...definition,
    openStorage: (open) => etcd.open({ ...open, resource: { group: flunderKind.group, resource: open.resource } }),
  });
  server.installApiGroup({
    group: flunderKind.group,
    versions: [flunderKind.version],
    storages: new Map([[flunderKind.version, flunders.storagesOf(flunderKind)]]),
  });
  installAdmission(server, [chain], dynamic);
  etcd.attach(server);
  const { port } = await server.listen();
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    log,
    server,
    async close() {
      await server.shutdown(1_000);
      await core.close();
      await etcdServer.close();
    },
  };
}
