import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkAlertRoutes } from './alert-routes';
import { ROOT } from './kustomize';

const text = readFileSync(path.join(ROOT, 'deploy/k8s/alertmanager.yaml'), 'utf8');

function messages(from: string, to: string): string[] {
  expect(text).toContain(from);
  return checkAlertRoutes(text.replace(from, to)).map(({ message }) => message);
}

describe('the example of alert routes', () => {
  it('tells somebody of everything', () => {
    expect(checkAlertRoutes(text)).toEqual([]);
  });

  it('is refused when a severity, a receiver or the Watchdog is missing', () => {
    expect(messages('"page"]\n      receiver', '"critical"]\n      receiver')).toEqual([
      'tells nobody in particular of a page',
    ]);
    expect(messages('receiver: on-call', 'receiver: nobody')).toEqual(['nobody is no receiver']);
    expect(messages('receiver: on-call', 'receiver: dead-mans-switch')).toEqual([
      'hears of a page where silence is heard',
    ]);
    expect(messages('repeat_interval: 5m', 'repeat_interval: 12h')).toEqual([
      'does not repeat the Watchdog every five minutes',
    ]);
    expect(messages('[alertname = "Watchdog"]', '[alertname = "Heartbeat"]')).toEqual([
      'does not repeat the Watchdog every five minutes',
    ]);
  });
});
