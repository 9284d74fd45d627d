import { Counter, type Registry } from 'prom-client';

/** A counter whose series are kept elsewhere. `read` gives each with its labels whenever the metrics are read. */
export function installCounts<Label extends string>(
  registry: Registry,
  { name, help, labelNames }: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
  read: () => Iterable<readonly [labels: Readonly<Record<Label, string>>, count: number]>,
): void {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, count] of read()) this.inc({ ...labels }, count);
    },
  });
}
