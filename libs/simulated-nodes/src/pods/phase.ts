import type { Pod } from '@apichain/api/core/v1';
import { type ContainerView, exitCodeOf, isOver } from './containers.ts';

/** `Pending`, `Running`, `Succeeded` or `Failed`, by the states of the containers. `stopped`: no container is started again. After getPhase of pkg/kubelet. */
export function phaseOf(pod: Pod, containers: readonly ContainerView[], stopped: boolean): string {
  const ofRole = (role: ContainerView['role']) => containers.filter((container) => container.role === role);
  const [init, sidecars, regular] = [ofRole('init'), ofRole('sidecar'), ofRole('regular')];
  if (init.some((container) => exitCodeOf(container) !== 0 && isOver(container, pod))) return 'Failed';
  const initializing = init.some((container) => exitCodeOf(container) === undefined);
  const initialized = regular.some(({ status }) => status.state?.running !== undefined);
  const sidecarsPending = sidecars.some(
    ({ status: { state, lastState, started } }) =>
      (state?.running !== undefined && started !== true) ||
      (state?.running === undefined && state?.terminated === undefined && lastState?.terminated === undefined),
  );
  const waiting = [...sidecars, ...regular].some(
    (container) => container.status.state?.running === undefined && exitCodeOf(container) === undefined,
  );
  if (initializing || (sidecarsPending && !initialized) || waiting) return 'Pending';
  if ([...sidecars, ...regular].some(({ status }) => status.state?.running !== undefined)) return 'Running';
  if (!stopped && !regular.every((container) => isOver(container, pod))) return 'Running';
  return regular.every((container) => exitCodeOf(container) === 0) ? 'Succeeded' : 'Failed';
}

/** Whether the phase is final. */
export const isTerminal = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';
