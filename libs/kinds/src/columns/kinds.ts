import type { Cells, CellTable } from './cells.ts';
import { accessCells } from './access.ts';
import { clusterCells } from './cluster.ts';
import { controlCells } from './control.ts';
import { devicesCells } from './devices.ts';
import { networkingCells } from './networking.ts';
import { storageCells } from './storage.ts';
import { workloadsCells } from './workloads.ts';

/** How the cells are made that are no plain field, by `Kind` or `Kind.group` and column name. */
const kindCells: CellTable = {
  ...workloadsCells,
  ...networkingCells,
  ...storageCells,
  ...accessCells,
  ...controlCells,
  ...devicesCells,
  ...clusterCells,
};

/** The cells of a kind, for code that serves every kind alike: it gets objects in the storage version of the kind. */
export const cellsOf = (kind: string): Cells => (kindCells as Readonly<Record<string, Cells | undefined>>)[kind] ?? {};
