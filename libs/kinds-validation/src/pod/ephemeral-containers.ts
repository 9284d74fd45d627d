import type { Pod } from '@apichain/api/core/v1';
import { field, type FieldError } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { checkEach, collect } from '../common/rules.ts';
import { shownDiff } from '../common/unified-diff.ts';
import { podAnnotationUpdateErrors } from './annotations.ts';
import type { Capabilities } from './context.ts';
import { isMirrorPod, storedPodErrors } from './pod.ts';

const path = 'spec.ephemeralContainers';

/** Ephemeral containers can be added, but not changed or removed. */
export function validateEphemeralContainers(pod: Pod, old: Pod, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    if (isMirrorPod(pod)) {
      out.push(field.forbidden('[]', 'static pods do not support ephemeral containers'));
      return;
    }
    storedPodErrors(out, pod, old, capabilities);
    podAnnotationUpdateErrors(out, pod.metadata, old.metadata, pod.spec ?? {});
    const now = new Map(pod.spec?.ephemeralContainers?.map((c) => [c.name ?? '', c]));
    checkEach(out, old.spec?.ephemeralContainers ?? [], (out, container) => {
      const name = container.name ?? '';
      const other = now.get(name);
      const which = `existing ephemeral containers ${goQuote(name)} may not be`;
      if (other === undefined) out.push(field.forbidden(path, `${which} removed\n`));
      else if (!semanticEqual(other, container)) {
        const type = 'core.v1.EphemeralContainer';
        const diff = shownDiff(container, other, (value) => goValue(type, value));
        out.push(field.forbidden(path, `${which} changed\n${diff}`));
      }
    });
  });
}
