import type { Cells, CellTable } from './cells.ts';
import { accessCells } from './access.ts';
import { clusterCells } from './cluster.ts';
import { controlCells } from './control.ts';
import { devicesCells } from './devices.ts';
import { networkingCells } from './networking.ts';
import { storageCells } from './storage.ts';
import { workloadsCells } from './workloads.ts';

/** Functions for the cells that do not show a single field, by `Kind` or `Kind.group` and column name. */
const kindCells: CellTable = {
  ...workloadsCells,
  ...networkingCells,
  ...storageCells,
  ...accessCells,
  ...controlCells,
  ...devicesCells,
  ...clusterCells,
};

/** The cells of a kind, for code that handles every kind; the functions receive objects in the storage version of the kind. */
export const cellsOf = (kind: string): Cells => (kindCells as Readonly<Record<string, Cells | undefined>>)[kind] ?? {};
