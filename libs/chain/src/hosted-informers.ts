import { RestClient, SharedInformers } from '@apichain/client';
import { controllersUserAgent } from '@apichain/controllers/user-agent';
import { errorMessage } from '@apichain/meta';
import type { Logger } from '@apichain/request';
import type { InProcessChain } from './chain.ts';

/** The informers of everything that runs in the process of a chain. */
export interface HostedInformers {
  readonly informers: SharedInformers;
  /** Stops the informers. To be called when nobody reads them any more. */
  stop(): Promise<void>;
}

/** One informer for each resource that the controllers, the scheduler and the simulated nodes of this process follow. They start when they are used. */
export function hostInformers(chain: Pick<InProcessChain, 'connect'>, log: Logger): HostedInformers {
  const client = new RestClient(chain.connect(controllersUserAgent));
  const informers = new SharedInformers({
    client,
    onError: ({ resource }, error) => log.error({ resource, error: errorMessage(error) }, 'watch failed'),
  });
  return {
    informers,
    stop: async () => {
      await informers.stop();
      await client.close();
    },
  };
}
