import { StartupError } from '@apichain/chain/setup';
import { unsupportedFlag } from '@apichain/controllers/settings';
import { didYouMean } from '@apichain/meta';
import { ownFlags } from './options.ts';

const refusal = /^(?:[\w-]+: )?unknown flag: --(?<name>[^;\s]+)(?<meant>; did you mean [^?]+\?)?(?: \(see [^)]*\))?$/;

/**
 * The error of a start that failed. A service refuses a flag that it does not know with a flag of its own that may be meant; where there is none, one of
 * `apichain up` may be meant. One of kube-controller-manager that has no place here is refused with the reason.
 */
export function withMeantFlag(error: unknown): unknown {
  const { name, meant } = (error instanceof StartupError ? refusal.exec(error.message)?.groups : undefined) ?? {};
  if (name === undefined) return error;
  const ofControllers = unsupportedFlag(name);
  if (ofControllers !== undefined) return new StartupError(ofControllers);
  return new StartupError(
    `unknown flag: --${name}${meant ?? didYouMean(name, ownFlags, '--')} (see apichain up --help)`,
  );
}
