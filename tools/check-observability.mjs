// Whether alerts and dashboards make sense: rules are what Prometheus takes, fire when they should
// and not else, each alert has a runbook and each runbook an alert, and both name metrics of which
// tools/observability/metrics.json says who shows them. That a running system shows its own is a
// test (e2e/journeys/operations.test.ts). With --update the list of metrics is written anew.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { dump, load, loadAll } from 'js-yaml';
import { ensurePromtool } from './ensure-promtool.mjs';
import { metricsOf } from './metrics-of.cjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const inRoot = (...parts) => path.join(root, ...parts);
const DASHBOARDS = 'deploy/k8s/components/grafana/dashboards';
const RULES = 'deploy/k8s/components/prometheus-rules';
const TESTS = 'tools/observability';
const METRICS = 'tools/observability/metrics.json';
const RUNBOOKS = 'docs/runbooks';

const SECTIONS = ['What it means', 'Impact', 'Check', 'Mend', 'Verify'];

/** Shown by what no test here runs; of each it is said where its makers document it. */
const CLUSTER_METRICS = /^(kube|kubelet|cnpg|barman_cloud|gnatsd|certmanager|probe|restore_drill)_/;
const SOURCES = 'tools/observability/sources.json';

/** Always fires and is nobody's to mend. */
const WATCHDOG = 'Watchdog';

const faults = [];
const update = process.argv.includes('--update');

const rule_files = readRuleFiles();
const test_files = readdirSync(inRoot(TESTS)).filter((name) => name.endsWith('.test.yaml'));
const rules = rule_files.flatMap(({ groups }) => groups.flatMap((group) => group.rules));
const alerts = rules.filter(({ alert }) => alert !== undefined);
const dashboards = readdirSync(inRoot(DASHBOARDS))
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, dashboard: parseJson(path.join(DASHBOARDS, name)) }));

await checkWithPromtool();
checkAlerts();
checkRunbooks();
checkDashboards();
checkMetrics();

for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function parseJson(file) {
  try {
    return JSON.parse(readFileSync(inRoot(file), 'utf8'));
  } catch (error) {
    faults.push(`${file}: ${error.message}`);
    return {};
  }
}

/** Every PrometheusRule of the component. */
function readRuleFiles() {
  return readdirSync(inRoot(RULES))
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) =>
      loadAll(readFileSync(inRoot(RULES, name), 'utf8'))
        .filter((document) => document?.kind === 'PrometheusRule')
        .map(({ spec }) => ({ name, groups: spec.groups })),
    );
}

/** promtool knows the groups alone, not the document that an operator reads them from. */
async function checkWithPromtool() {
  const promtool = await ensurePromtool();
  const folder = mkdtempSync(path.join(tmpdir(), 'credit-rules-'));
  try {
    const rule_names = rule_files.map(({ name }) => name);
    for (const { name, groups } of rule_files) {
      writeFileSync(path.join(folder, name), dump({ groups }));
    }
    const tested = [];
    for (const name of test_files) {
      const text = readFileSync(inRoot(TESTS, name), 'utf8');
      writeFileSync(path.join(folder, name), text);
      tested.push(...alertsThatFire(load(text)));
    }
    for (const args of [
      ['check', 'rules', ...rule_names],
      ['test', 'rules', ...test_files],
    ]) {
      const { status, stdout, stderr } = spawnSync(promtool, args, {
        cwd: folder,
        encoding: 'utf8',
      });
      if (status !== 0) faults.push(`promtool ${args.slice(0, 2).join(' ')}:\n${stdout}${stderr}`);
    }
    for (const { alert } of alerts) {
      if (!tested.includes(alert)) faults.push(`${TESTS}: nothing shows that ${alert} fires.`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The names of the alerts of which a file of tests expects that they fire. */
function alertsThatFire({ tests }) {
  return tests.flatMap(({ alert_rule_test = [] }) =>
    alert_rule_test
      .filter(({ exp_alerts }) => exp_alerts?.length > 0)
      .map(({ alertname }) => alertname),
  );
}

function checkAlerts() {
  for (const { alert, labels, annotations } of alerts) {
    const severities = alert === WATCHDOG ? ['none'] : ['page', 'ticket'];
    if (!severities.includes(labels?.severity)) {
      faults.push(`${alert}: severity is ${severities.join(' or ')}.`);
    }
    if (!annotations?.summary) faults.push(`${alert} has no summary.`);
    if (annotations?.runbook_url !== `${RUNBOOKS}/${alert}.md`) {
      faults.push(`${alert}: runbook_url is not ${RUNBOOKS}/${alert}.md.`);
    }
  }
}

function checkRunbooks() {
  const named = new Set(alerts.map(({ alert }) => alert));
  for (const alert of named) {
    const file = path.join(RUNBOOKS, `${alert}.md`);
    if (!existsSync(inRoot(file))) {
      faults.push(`${file} is missing.`);
      continue;
    }
    const text = readFileSync(inRoot(file), 'utf8');
    for (const section of SECTIONS) {
      if (!text.includes(`\n## ${section}\n`)) faults.push(`${file} has no section "${section}".`);
    }
  }
  const list = readFileSync(inRoot(RUNBOOKS, 'README.md'), 'utf8');
  for (const name of readdirSync(inRoot(RUNBOOKS))) {
    if (name === 'README.md' || named.has(name.replace(/\.md$/, ''))) continue;
    // In small letters: what somebody does of their own accord.
    if (!/^[a-z-]+\.md$/.test(name) || !list.includes(`(${name})`)) {
      faults.push(`${path.join(RUNBOOKS, name)} belongs to no alert.`);
    }
  }
}

function checkDashboards() {
  const uids = new Set();
  for (const { name, dashboard } of dashboards) {
    const { title, uid, panels = [] } = dashboard;
    if (!title || !uid) faults.push(`${name} has no title or uid.`);
    if (uids.has(uid)) faults.push(`${name}: the uid ${uid} is another dashboard's.`);
    uids.add(uid);
    const ids = panels.map(({ id }) => id);
    if (new Set(ids).size < ids.length) faults.push(`${name}: two panels have one id.`);
    for (const { title: panel, targets = [] } of panels.filter(({ type }) => type !== 'row')) {
      if (targets.length === 0) faults.push(`${name}: the panel "${panel}" shows nothing.`);
    }
  }
  if (dashboards.length === 0) faults.push(`${DASHBOARDS} is empty.`);
}

function checkMetrics() {
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...dashboards.flatMap(({ dashboard }) =>
      (dashboard.panels ?? []).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ),
  ];
  const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
  const own = new Set();
  const cluster = new Set();
  for (const name of expressions.flatMap(metricsOf)) {
    if (CLUSTER_METRICS.test(name)) cluster.add(name);
    else if (!name.includes(':')) own.add(name);
    else if (!recorded.has(name)) faults.push(`${name} is recorded by no rule.`);
  }
  const sources = parseJson(SOURCES);
  for (const name of cluster) {
    if (!sources[name]) faults.push(`${SOURCES} does not say where ${name} is documented.`);
  }
  for (const name of Object.keys(sources)) {
    if (!cluster.has(name)) faults.push(`${SOURCES}: nothing asks for ${name}.`);
  }
  const listed = { own: [...own].sort(), cluster: [...cluster].sort() };
  const wanted = `${JSON.stringify(listed, undefined, 2)}\n`;
  if (update) writeFileSync(inRoot(METRICS), wanted);
  else if (readFileSync(inRoot(METRICS), 'utf8') !== wanted) {
    faults.push(`${METRICS} is not fresh: run node tools/check-observability.mjs --update.`);
  }
}
