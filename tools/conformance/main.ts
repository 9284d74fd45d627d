/**
 * Compares the chain with a kube-apiserver: runs the same scenarios on both, side by side, and compares every response.
 * See docs/conformance.md; the options are in options.ts.
 */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { runCommand } from '../command/command.ts';
import { readKnownDifferences, type KnownDifference } from './known-differences.ts';
import { open, type OpenServer } from './open-server.ts';
import { parseOptions, usage, type Options } from './options.ts';
import { countsTable, isAsExpected, toMarkdown, toText, type Report } from './report.ts';
import { allScenarios } from './scenarios/index.ts';
import { compareServers } from './side-by-side.ts';
import { Webhooks } from './webhooks.ts';

function print(report: Report, show: number): void {
  for (const chain of report.chains) {
    console.log(`\n${chain.name} beside ${report.reference.name} ${report.reference.version}\n\n${countsTable(chain)}`);
    for (const difference of chain.unexpected.slice(0, show)) console.log(`\nunexpected: ${toText(difference)}`);
    if (chain.unexpected.length > show) console.log(`\n... and ${chain.unexpected.length - show} more`);
    for (const { name, difference } of chain.gone) console.log(`\nknown, but gone (${name}): ${toText(difference)}`);
  }
}

function write(report: Report, known: readonly KnownDifference[], file: string): void {
  writeFileSync(`${file}.md`, toMarkdown(report, known));
  writeFileSync(`${file}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
}

/** The name consists of letters that are not hexadecimal digits, so that it is unambiguous when it occurs in a text. */
const newRunName = (): string => Array.from({ length: 6 }, () => 'ghjkmnpqrstvwxz'[randomInt(15)]).join('');

async function run(options: Options): Promise<number> {
  const known = options.knownDifferences === undefined ? [] : readKnownDifferences(options.knownDifferences);
  const scenarios = allScenarios.filter(
    (scenario) => options.areas.includes(scenario.area) && options.scenarios.test(scenario.name),
  );
  const name = newRunName();
  console.log(
    `run ${name}: ${scenarios.length} scenarios. Each server gets namespaces and cluster-scoped objects with names conformance-${name}-...,\n` +
      `custom resource definitions of groups under ${name}.example.com, webhook configurations and policies that concern only those;\n` +
      'all of it is deleted at the end.',
  );
  if (options.dryRun) return 0;
  const { signal } = interruption();
  const closing: (() => Promise<void>)[] = [];
  try {
    const webhooks = await Webhooks.start(options.webhookHost);
    closing.unshift(() => webhooks.close());
    const servers: OpenServer[] = [];
    for (const choice of [options.reference, ...options.chains]) {
      const server = await open(choice, options);
      closing.unshift(() => server.close());
      servers.push(server);
    }
    const { concurrency } = options;
    const report = await compareServers(servers, { scenarios, known, webhooks, run: name, concurrency, signal });
    print(report, options.show);
    if (options.report !== undefined) write(report, known, options.report);
    return isAsExpected(report) ? 0 : 1;
  } finally {
    for (const close of closing) await close();
  }
}

/** The first Ctrl-C aborts the signal, so that everything is cleaned up. The second ends the process. */
function interruption(): AbortController {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => controller.abort(new Error('interrupted; what was created is being deleted')));
  return controller;
}

await runCommand({ name: 'conformance', usage, parse: parseOptions, run });
