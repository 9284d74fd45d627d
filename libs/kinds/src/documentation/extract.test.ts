import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentationFolders, extractDocumentation } from './extract.ts';

const boat = String.raw`import { IIoK8sApiBoatsV1Hull } from "./Hull.js";
import { ModelData, Model } from "@kubernetes-models/base";
/**
 * A boat floats.
 *
 * Mostly.
 */
export interface IBoat extends TypeMeta {
    "apiVersion": "boats/v1";
    /**
     * What it is made of: \* for anything, '\*\/oak' for any oak.
     *
     * Possible enum values:
     *  - ${'`"Oak"`'} lasts.
     */
    "hull"?: "Oak" | string;
    "kind": "Boat";
    /**
     * Masts by name.
     */
    "masts"?: {
        [key: string]: {
            /**
             * Not a field of a boat.
             */
            "height": number;
        };
    };
    /**
     * Deprecated: boats have engines.
     * @deprecated
     */
    "oars"?: number;
}
/**
 * A boat floats.
 */
export declare class Boat extends Model<IBoat> implements IBoat {
    /**
     * Not here.
     */
    "sail": string;
}
`;

describe('documentation out of declarations', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-documentation-'));
    const write = (folder: string, name: string, text: string) => {
      mkdirSync(join(directory, folder), { recursive: true });
      writeFileSync(join(directory, folder, `${name}.d.ts`), text);
    };
    write('models/boats/v1', 'Boat', boat);
    write('models/boats/v1', 'index', 'export * from "./Boat.js";\n');
    write('models/boats/v1', 'Anchor', 'export interface IAnchor {\n    "weight": number;\n}\n');
    write('models/boats/v1', 'Knots', '/**\n * A speed.\n */\nexport type IKnots = number;\n');
    write('models/v1', 'Harbour', '/**\n * Where boats are.\n */\nexport interface IHarbour {\n}\n');
    write('models/_schemas', 'IoBoat', '');
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('finds a folder for each group-version', () => {
    const folders = documentationFolders(join(directory, 'models'), '/apimachinery');
    const known = new Map(folders.map(({ groupVersion, folder }) => [groupVersion, folder]));
    assert.equal(known.get('meta.v1'), join('/apimachinery', 'apis/meta/v1'));
    assert.equal(known.get('core.v1'), join(directory, 'models/v1'));
    assert.equal(known.get('boats.v1'), join(directory, 'models/boats/v1'));
    assert.ok(![...known.keys()].some((name) => name.includes('_schemas')));
  });

  it('reads the documentation of a type and its fields, without comment markers', () => {
    const { Boat, ...others } = extractDocumentation(join(directory, 'models/boats/v1'));
    assert.deepEqual(Boat, [
      'A boat floats.\n\nMostly.',
      {
        hull: 'What it is made of: * for anything, \'*/oak\' for any oak.\n\nPossible enum values:\n - `"Oak"` lasts.',
        masts: 'Masts by name.',
        oars: 'Deprecated: boats have engines.',
      },
    ]);
    assert.deepEqual(others, { Knots: ['A speed.', {}] });
  });
});
