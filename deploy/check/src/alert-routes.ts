import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from './kustomize';
import type { Finding } from './manifest';

const FILE = 'deploy/k8s/alertmanager.yaml';
/** Of how many seconds without it somebody outside must hear. */
const LONGEST_SILENCE_S = 300;

interface Route {
  receiver: string;
  matchers?: string[];
  repeat_interval?: string;
}

interface Configuration {
  route: Route & { routes: Route[] };
  receivers: Array<{ name: string }>;
}

/** The example of routing tells somebody of every severity, and somebody else of the Watchdog. */
export function checkAlertRoutes(text = readFileSync(path.join(ROOT, FILE), 'utf8')): Finding[] {
  const findings: Finding[] = [];
  const say = (message: string) => findings.push({ rule: 'alert routes', title: FILE, message });
  const { route, receivers } = load(text) as Configuration;
  const names = receivers.map(({ name }) => name);
  for (const { receiver } of [route, ...route.routes]) {
    if (!names.includes(receiver)) say(`${receiver} is no receiver`);
  }
  const routeOf = (matcher: string) =>
    route.routes.find(({ matchers = [] }) => matchers.length === 1 && matchers[0] === matcher);
  const watchdog = routeOf('alertname = "Watchdog"');
  for (const severity of ['page', 'ticket']) {
    const own = routeOf(`severity = "${severity}"`);
    if (own === undefined) say(`tells nobody in particular of a ${severity}`);
    else if (own.receiver === watchdog?.receiver) {
      say(`hears of a ${severity} where silence is heard`);
    }
  }
  const repeated = /^(\d+)m$/.exec(watchdog?.repeat_interval ?? '')?.[1];
  if (repeated === undefined || Number(repeated) * 60 > LONGEST_SILENCE_S) {
    say('does not repeat the Watchdog every five minutes');
  }
  return findings;
}
