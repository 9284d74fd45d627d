import type { Logger } from '@apichain/request';
import { RestClient, type SharedInformers } from '@apichain/client';
import type { ControllerName } from '@apichain/controllers/selection';
import type { ControllerSettings } from '@apichain/controllers/settings';
import { currentActivity } from '@apichain/meta';
import { controllersUserAgent } from '@apichain/controllers/user-agent';
import type { CertificatePair } from '@apichain/serving/certificates';
import type { InProcessChain } from './chain.ts';

/** Controllers that run in the same process as a chain. */
export interface HostedControllers {
  /** Resolves when the controllers no longer use the chain. Rejects when they could not run. */
  stop(): Promise<void>;
}

/** What the controllers are given, and with whom they share. */
export interface HostedControllersOptions {
  /** PEM text to publish as `kube-root-ca.crt`. */
  readonly rootCa: string;
  /** The PEM texts of the authority that signs requested certificates. Without it, nobody signs them. */
  readonly signer?: CertificatePair;
  /** How the controllers work. Default: as those of kube-controller-manager do without flags. */
  readonly settings?: ControllerSettings;
  /** Informers that others in this process use as well. */
  readonly informers?: SharedInformers;
  /** The controllers start when this has ended, so that what they share with others does not depend on how long modules take to load. */
  readonly after?: Promise<unknown>;
  readonly log: Logger;
  /** Is told when the controllers cannot run: their modules cannot be loaded, for example. Without it the error is an unhandled rejection. */
  readonly onFailure?: (error: unknown) => void;
}

/** Runs controllers in this process against a chain that is ready. Their modules are loaded only when there are controllers to run. */
export function hostControllers(
  chain: Pick<InProcessChain, 'connect'>,
  controllers: readonly ControllerName[],
  { rootCa, signer, settings, informers, after, log, onFailure }: HostedControllersOptions,
): HostedControllers {
  const stop = new AbortController();
  const running = controllers.length === 0 ? Promise.resolve() : run();
  if (onFailure !== undefined) running.catch(onFailure);
  return {
    stop: async () => {
      stop.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    const started = currentActivity()?.begin('the start of the controllers');
    const { startControllers } = await import('@apichain/controllers');
    await after;
    const client = new RestClient(chain.connect(controllersUserAgent));
    const { stopped } = startControllers({
      client,
      signal: stop.signal,
      controllers,
      rootCa,
      signer,
      settings,
      informers,
      log: {
        info: (message, fields) => log.info({ ...fields }, message),
        error: (message, fields) => log.error({ ...fields }, message),
      },
    });
    started?.();
    await stopped;
    await client.close();
  }
}
