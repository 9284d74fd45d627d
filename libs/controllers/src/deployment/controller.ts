import type { Deployment } from '@apichain/api/apps/v1';
import { byController, orphansOf, controllerOf } from '@apichain/client';
import { currentTime, deepEqual, integer, labelSelectorFromObject, isNamespaceTerminating } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { claim } from '../workloads/claim.ts';
import { followDependents } from '../workloads/dependents.ts';
import { isPodTerminal } from '../workloads/pod-status.ts';
import { deployments as deploymentsOf, pods as podsOf, replicaSets as replicaSetsOf } from '../resources.ts';
import { RolloutSync, deploymentKind } from './rollout-sync.ts';
import { progressCheckIn } from './status.ts';

/** Rolls out the templates of Deployments by ReplicaSets: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ */
export function deployments(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, run } = controllerParts(context, 'deployment-controller');
  const recorder = newEventRecorder(context, 'deployment-controller');
  const owners = informer(deploymentsOf);
  const sets = informer(replicaSetsOf);
  const pods = informer(podsOf);
  const setsByController = sets.index(byController);
  const podsByController = pods.index(byController);
  const selectorOf = ({ spec }: Deployment) => labelSelectorFromObject(spec?.selector);

  owners.addHandlers({ onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue });
  followDependents({ owners, dependents: sets, kind: 'Deployment', selectorOf, enqueue });
  pods.addHandlers({
    // A Recreate goes on when the last old pod is gone.
    onDelete: (pod) => {
      const { namespace } = pod.metadata;
      const set = sets.get(`${namespace}/${controllerOf(pod)?.name}`);
      const owner = set && owners.get(`${namespace}/${controllerOf(set)?.name}`);
      if (owner?.spec?.strategy?.type === 'Recreate') enqueue(owner);
    },
  });

  async function reconcile(key: string): Promise<void> {
    const deployment = owners.get(key);
    if (deployment === undefined) return;
    try {
      await sync(key, deployment);
    } catch (error) {
      // In a namespace that is terminating every creation fails, and there is nothing to repeat.
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async function sync(key: string, deployment: Deployment): Promise<void> {
    const { namespace = '', uid = '' } = deployment.metadata;
    if (selectsAll(deployment)) return refuseToSelectAll(deployment);
    const claimed = await claim({
      client,
      kind: deploymentKind,
      owner: deployment,
      selector: selectorOf(deployment),
      resource: replicaSetsOf,
      objectKind: 'ReplicaSet',
      candidates: [...setsByController.get(uid), ...setsByController.get(orphansOf(namespace))],
    });
    const rollout = new RolloutSync({ client, recorder, deployment, sets: claimed, hasOldPods });
    const status = await rollout.run();
    if (status === undefined) return;
    const wait = progressCheckIn(rollout.deployment, status, currentTime());
    if (wait === undefined) return;
    // Times of conditions are whole seconds: one more makes sure that the deadline has passed.
    if (wait < 1000) queue.addRateLimited(key);
    else queue.addAfter(key, wait + 1000);
  }

  async function refuseToSelectAll(deployment: Deployment): Promise<void> {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    recorder.event(deployment, 'Warning', 'SelectingAll', message);
    const { namespace = '', generation } = deployment.metadata;
    if (integer(deployment.status?.observedGeneration) >= integer(generation)) return;
    const status = { ...deployment.status, observedGeneration: integer(generation) };
    await client.update({ ...deploymentsOf, namespace }, { ...deployment, status }, { subresource: 'status' });
  }

  const hasOldPods = (uids: readonly string[]): boolean =>
    uids.some((uid) => podsByController.get(uid).some((pod) => !isPodTerminal(pod)));

  return run(reconcile);
}

const selectsAll = ({ spec }: Deployment): boolean => deepEqual(spec?.selector, {});
