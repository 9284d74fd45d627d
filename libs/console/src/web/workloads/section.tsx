import type { ComponentChildren } from 'preact';
import type { ShownKinds } from './use-live-objects.ts';

/** What every section of the page knows. */
export interface SectionContext {
  readonly kinds: ShownKinds;
  /** Objects of several namespaces are shown. */
  readonly withNamespace: boolean;
  /** The page with the pods of a node or a workload chosen. */
  readonly hrefOf: (chosen: Readonly<Record<string, string>>) => string;
}

interface Props {
  readonly title: string;
  readonly note: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of the page with its heading. */
export function Section({ title, note, children }: Props) {
  return (
    <section class="live-section" aria-label={title}>
      <div class="toolbar">
        <h2>{title}</h2>
        <span class="quiet">{note}</span>
      </div>
      {children}
    </section>
  );
}

/** `shop/web`, or `web` in the page of a namespace. */
export const nameIn = (namespace: string, name: string, withNamespace: boolean): string =>
  withNamespace && namespace !== '' ? `${namespace}/${name}` : name;
