import type { Profile } from './framework/profile.ts';
import type { PodInfo } from './cluster/pod-info.ts';
import type { PluginRejection } from './framework/status.ts';

/**
 * What DynamicResources says about a pod that fits no node; it comes before preemption and has the state of its preFilter. If another plugin rejected the
 * pod before that, kube-scheduler does not find the state, says `not found` and does not preempt.
 */
export function dynamicResourcesMessage(
  { plugins }: Profile,
  { pod }: PodInfo,
  rejection: PluginRejection | undefined,
): { readonly message: string; readonly isError: boolean } {
  const position = (plugin: string) => plugins.findIndex(({ name }) => name === plugin);
  if (rejection !== undefined && position(rejection.plugin) < position('DynamicResources'))
    return { message: 'not found', isError: true };
  const hasClaims = rejection === undefined && (pod.spec?.resourceClaims ?? []).length > 0;
  return { message: hasClaims ? 'still not schedulable' : 'no new claims to deallocate', isError: false };
}
