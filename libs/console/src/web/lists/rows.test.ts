import assert from 'node:assert/strict';
import type { Row } from './live-table.ts';
import { cellText, columnsOf, nextOrder, orderOf, shownRows, widthsOf } from './rows.ts';

const column = (name: string, priority = 0) => ({ name, type: 'string', description: '', priority });
const columns = columnsOf([column('Name'), column('Ready'), column('Age')], true);
const row = (namespace: string, name: string, ready: unknown, minutes: number): Row => ({
  cells: [name, ready, ''],
  object: {
    metadata: {
      ...{ namespace, name, labels: { app: name } },
      creationTimestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
    },
  },
});
const rows = [row('b', 'web', '10/10', 5), row('a', 'db', '2/3', 60), row('a', 'Web-2', 'unknown', 1)];
const names = (filter: string, order: string) =>
  shownRows(rows, filter, orderOf(order), columns).map(({ object }) => object.metadata.name);

describe('the rows of a list', () => {
  it('are in the order of the server at first', () => assert.deepEqual(names('', ''), ['Web-2', 'db', 'web']));
  it('are sorted by numbers before texts', () => {
    assert.deepEqual(names('', 'Ready'), ['db', 'web', 'Web-2']);
    assert.deepEqual(names('', '-Ready'), ['Web-2', 'web', 'db']);
  });
  it('are sorted by age', () => assert.deepEqual(names('', 'Age'), ['Web-2', 'web', 'db']));
  it('are found by their name in any case', () => assert.deepEqual(names(' WEB', ''), ['Web-2', 'web']));
  it('are sorted upwards, downwards and not by clicks', () => {
    const [first, second, third] = ['', 'Age', '-Age'].map((order) => nextOrder(orderOf(order), 'Age'));
    assert.deepEqual([first, second, third], ['Age', '-Age', '']);
    assert.equal(nextOrder(orderOf('-Age'), 'Name'), 'Name');
  });
  it('have texts for columns of the console', () => {
    const [first] = rows;
    assert.ok(first !== undefined);
    assert.deepEqual(
      columns.map((one) => cellText(one, first)),
      ['b', 'web', '10/10', '5m', 'app=web'],
    );
  });
  it('have widths that do not depend on the rows in sight', () => {
    assert.deepEqual(widthsOf(columns, rows), [15, 10, 11, 9, 13]);
  });
});
