import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { record, records, text } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { checkEach, collect } from '../common/rules.ts';
import { unifiedDiff } from '../common/unified-diff.ts';
import { podAnnotationUpdateErrors } from './annotations.ts';
import type { Capabilities } from './capabilities.ts';
import { isMirrorPod, storedPodErrors } from './pod.ts';

const path = 'spec.ephemeralContainers';

/** Ephemeral containers only come; those that are there stay as they are. */
export function validateEphemeralContainers(
  pod: KubeObject,
  old: KubeObject,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    if (isMirrorPod(pod)) {
      out.push(field.forbidden('[]', 'static pods do not support ephemeral containers'));
      return;
    }
    storedPodErrors(out, pod, old, capabilities);
    podAnnotationUpdateErrors(out, pod.metadata, old.metadata, record(pod.spec));
    const now = new Map(records(record(pod.spec).ephemeralContainers).map((c) => [text(c.name), c]));
    checkEach(out, records(record(old.spec).ephemeralContainers), (out, container) => {
      const name = text(container.name);
      const other = now.get(name);
      const which = `existing ephemeral containers ${goQuote(name)} may not be`;
      if (other === undefined) out.push(field.forbidden(path, `${which} removed\n`));
      else if (!semanticEqual(other, container)) {
        const type = 'core.v1.EphemeralContainer';
        const diff = unifiedDiff(goValue(type, container), goValue(type, other));
        out.push(field.forbidden(path, `${which} changed\n${diff}`));
      }
    });
  });
}
