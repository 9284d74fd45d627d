import { controller, kinds } from 'apichain/client';
import { Widget } from './resources/widget.ts';

const rbac = 'rbac.authorization.k8s.io';

/**
 * Keeps a namespace for every Widget, in which its owner is the administrator. The garbage collector deletes the namespace of a Widget that is gone, and the
 * namespace controller what is in it.
 */
export const widgetController = controller({ for: Widget, owns: [kinds.Namespace], name: 'my-project' }).reconcile(
  async ({ object, apply, updateStatus }) => {
    const { name, generation = 0 } = object.metadata;
    await apply(kinds.Namespace, { metadata: { name } });
    await apply(kinds.RoleBinding, {
      metadata: { name: 'owner', namespace: name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: object.spec.owner }],
    });
    await updateStatus({ ready: true, observedGeneration: generation });
  },
);
