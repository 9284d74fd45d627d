import { RestClient, SharedInformers, silentLogger, type Transport } from '@apichain/client';
import type { ControllerContext } from './context.ts';
import { Discovery } from './discovery.ts';
import { parseSettings } from './settings.ts';

/** The dependencies of a controller of which a test knows the server. */
export function testContext(
  send: Transport['send'],
  signal: AbortSignal,
  flags: Parameters<typeof parseSettings>[0] = {},
): ControllerContext {
  const client = new RestClient({ send, close: async () => undefined });
  const informers = new SharedInformers({ client });
  return {
    client,
    discovery: new Discovery(client),
    signal,
    log: silentLogger,
    settings: parseSettings(flags),
    rootCa: '',
    tokenKey: undefined,
    signer: undefined,
    informer: informers.informer.bind(informers),
    metadataInformer: informers.metadataInformer.bind(informers),
    knownInformer: informers.known.bind(informers),
    knownMetadata: informers.knownMetadata.bind(informers),
  };
}
