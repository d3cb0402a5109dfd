/** The series that an expression of Prometheus selects. */
export declare function metricsOf(expression: string): string[];
