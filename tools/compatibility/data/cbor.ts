import type { ApiServer } from './api-server.ts';
import { firstDifference } from './canonical-text.ts';
import { Cluster, type Programs } from './cluster.ts';
import type { Findings } from './findings.ts';
import { definitions } from './objects.ts';
import { BothWatches, putBack, readDifference } from './reads.ts';

const run = 'cbor';
const collection = `/apis/${run}.example.com/v1/plants`;

const gate = '--feature-gates=CBORServingAndStorage=true';
const selfDescribed = 'd9d9f7';

/** The servers that store custom resources as CBOR; the other one stores JSON. */
const ways = [['kubeApiserver', 'chain'], ['kubeApiserver'], ['chain']] as const;

/** JSON texts of free content, by name. JavaScript would not keep some numbers. */
const contents: Readonly<Record<string, string>> = {
  empty: '{}',
  integers:
    '{"a":[0,23,24,255,256,65535,65536,4294967295,4294967296,-1,-24,-25,-256,-257,-65537,-4294967296,-4294967297]}',
  'big-integers':
    '{"a":[9007199254740991,9007199254740993,9223372036854775807,-9007199254740993,-9223372036854775808]}',
  'beyond-64-bits': '{"a":[9223372036854775808,18446744073709551615,-9223372036854775809,100000000000000000000]}',
  floats: '{"a":[0.5,1.5,-4.25,65504.5,0.1,1.1,-1e-7,3.4028234663852886e+38,5e-324,1.7976931348623157e+308]}',
  'small-floats':
    '{"a":[0.00006103515625,5.960464477539063e-8,1.401298464324817e-45,5.877471754111438e-39,0.333251953125]}',
  'large-floats': '{"a":[1e19,1e22,1.5e300,-1e25]}',
  'empty-lists': '{"a":[],"b":[[],[[]]],"c":{"d":[]}}',
  'empty-maps': '{"a":{},"b":[{},{"c":{}}]}',
  nulls: '{"a":[null,[null],{"b":[null]}],"c":{"d":[null]}}',
  booleans: '{"a":true,"b":false,"c":[true,false]}',
  deep: `{"a":${'['.repeat(90)}1${']'.repeat(90)},"b":${'{"c":'.repeat(60)}"x"${'}'.repeat(60)}}`,
  escapes: String.raw`{"a":"\" \\ \/ \b \f \n \r \t \u0000 \u001f \u007f"}`,
  html: String.raw`{"a":"a < b && c > d","b":"\u2028\u2029","<&>":"</script>"}`,
  unicode: String.raw`{"a":"é ß 漢字 😀","é":1,"漢":2,"😀":3,"z":4,"c":"\uffff"}`,
  surrogates: String.raw`{"a":"\ud83d\ude00","b":"\ud800"}`,
  'key-lengths': `{"aa":1,"b":2,"aaa":3,"":4,"${'k'.repeat(23)}":5,"${'k'.repeat(24)}":6,"${'k'.repeat(256)}":7,"B":8}`,
  'text-lengths': `{"a":["","${'x'.repeat(23)}","${'x'.repeat(24)}","${'x'.repeat(255)}","${'x'.repeat(256)}","${'x'.repeat(65536)}"]}`,
  'list-lengths': `{"a":[${Array(23).fill(1).join()}],"b":[${Array(24).fill(1).join()}],"c":[${Array(256).fill(1).join()}]}`,
  'many-members': `{${Array.from({ length: 300 }, (_, i) => `"m${i}":${i}`).join()}}`,
  'looks-like-others': '{"date":"2026-01-02T03:04:05Z","base64":"AAEC","number":"1","type":"d9d9f7"}',
  'odd-names': '{"__proto__":{"a":1},"constructor":2,"toString":"x"}',
};

/** Custom resources that one server stored as CBOR, or as JSON beside a server that stores CBOR: read, listed, watched and written by the other. */
export async function compareCbor(programs: Programs, findings: Findings): Promise<void> {
  for (const way of ways) {
    const cluster = await Cluster.start(programs);
    const storesCbor = (name: 'kubeApiserver' | 'chain') => way.some((each) => each === name);
    try {
      for (const name of ['kubeApiserver', 'chain'] as const) await cluster[name].start(storesCbor(name) ? [gate] : []);
      await cluster.define(definitions(run), [collection]);
      const { kubeApiserver, chain } = cluster;
      const comparison = new Comparison(cluster, findings, `CBOR of ${way.join(' and ')}`);
      await comparison.exchange('kube', kubeApiserver, storesCbor('kubeApiserver'), chain, storesCbor('chain'));
      await comparison.exchange('chain', chain, storesCbor('chain'), kubeApiserver, storesCbor('kubeApiserver'));
    } finally {
      await cluster.stop();
    }
  }
}

class Comparison {
  readonly #cluster: Cluster;
  readonly #findings: Findings;
  readonly #way: string;

  constructor(cluster: Cluster, findings: Findings, way: string) {
    this.#cluster = cluster;
    this.#findings = findings;
    this.#way = way;
  }

  /** `writer` creates the objects; both read them, write them back, change and delete them. */
  async exchange(
    prefix: string,
    writer: ApiServer,
    writesCbor: boolean,
    other: ApiServer,
    otherWritesCbor: boolean,
  ): Promise<void> {
    const from = `written by ${writer.name}`;
    const watches = await BothWatches.open(this.#cluster, collection);
    for (const [name, any] of Object.entries(contents)) {
      const path = `${collection}/${prefix}-${name}`;
      const metadata = `"metadata":{"name":"${prefix}-${name}","labels":{"kept":"yes"}}`;
      const body = `{"apiVersion":"${run}.example.com/v1","kind":"Plant",${metadata},"spec":{"number":0.25,"any":${any}}}`;
      await writer.json('POST', `${collection}?fieldManager=creator`, { body });
      await this.#compareReads(`objects ${from}`, path);
      await this.#writeBack(from, path, writer, writesCbor, other, otherWritesCbor);
      await other.json('PATCH', path, { body: { metadata: { labels: { patched: 'yes' } } } });
      this.#form(`form after a patch by ${other.name}`, path, await this.#stored(path), otherWritesCbor);
      await this.#compareReads(`objects patched after being ${from}`, path);
    }
    await this.#compareReads(`lists of objects ${from}`, collection);
    await this.#compareReads(`lists by label of objects ${from}`, `${collection}?labelSelector=patched%3Dyes`);
    for (const name of Object.keys(contents)) await other.json('DELETE', `${collection}/${prefix}-${name}`);
    for (const [path, difference] of await BothWatches.differences([watches]))
      this.#check(`watches of objects ${from}`, path, difference);
  }

  /** An update without a change turns the value into the other server's form, and back into the very bytes of the writer. */
  async #writeBack(
    from: string,
    path: string,
    writer: ApiServer,
    writesCbor: boolean,
    other: ApiServer,
    otherWritesCbor: boolean,
  ): Promise<void> {
    const before = await this.#stored(path);
    this.#form(`form of objects ${from}`, path, before, writesCbor);
    await putBack(other, path);
    const between = await this.#stored(path);
    this.#form(`form after an unchanged update by ${other.name}`, path, between, otherWritesCbor);
    await putBack(writer, path);
    const after = await this.#stored(path);
    const hex = (value: Buffer) => value.toString('hex').replaceAll(/(.{64})/g, '$1\n');
    const isSame =
      after.value.equals(before.value) && (writesCbor !== otherWritesCbor || after.revision === before.revision);
    this.#check(
      `stored bytes ${from} and written back by ${other.name}`,
      path,
      isSame
        ? undefined
        : `revisions ${before.revision}, ${between.revision}, ${after.revision}; ${firstDifference(hex(before.value), hex(between.value))}`,
    );
  }

  #form(what: string, path: string, { value }: { readonly value: Buffer }, isCbor: boolean): void {
    const start = value.toString('hex', 0, 3);
    const isRight = isCbor ? start === selfDescribed : value[0] === 0x7b;
    this.#check(what, path, isRight ? undefined : `the value begins with ${start}`);
  }

  async #stored(path: string) {
    const name = path.split('/').at(-1) ?? '';
    const [found] = await this.#cluster.stored(`${run}.example.com/plants/${name}`);
    if (found === undefined) throw new Error(`${path} is not stored`);
    return found;
  }

  async #compareReads(what: string, path: string): Promise<void> {
    this.#check(what, path, await readDifference(this.#cluster, path));
  }

  #check(what: string, path: string, difference: string | undefined): void {
    this.#findings.check(what, difference === undefined ? undefined : `${this.#way}; ${path}\n${difference}`);
  }
}
