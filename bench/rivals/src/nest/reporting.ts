import 'reflect-metadata';
import {
  Controller,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type ClientGrpc, ClientsModule, GrpcMethod } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { openPool } from '../shared/database.ts';
import { type InquiryRequest, recordInquiry, type SubjectFile } from '../shared/inquiries.ts';
import { setting } from '../shared/process.ts';
import { startRelay } from '../shared/relay.ts';
import { type Reported, type ReportRequest, reportEvent } from '../shared/report-event.ts';
import { commandOf, type ScoringClient } from './clients.ts';
import { grpcOptions, startService } from './grpc.ts';

const SCORING = Symbol('scoring');

@Controller()
class ReportingController implements OnApplicationBootstrap, OnApplicationShutdown {
  @Inject(SCORING) private readonly scoring!: ClientGrpc;
  private readonly pool = openPool(setting('DB_POOL_SIZE'));
  private relay: ReturnType<typeof startRelay> | undefined;

  onApplicationBootstrap(): void {
    const scoring = this.scoring.getService<ScoringClient>('Scoring');
    this.relay = startRelay(this.pool, async (changes) => {
      if (changes.length > 0) await lastValueFrom(scoring.recordSnapshots({ changes }));
    });
  }

  @GrpcMethod('Reporting', 'ReportEvent')
  reportEvent(request: ReportRequest): Promise<Reported> {
    const command = commandOf(request.command);
    return reportEvent(this.pool, { ...request, command }, { with_snapshot: false });
  }

  @GrpcMethod('Reporting', 'RecordInquiry')
  recordInquiry(request: InquiryRequest): Promise<SubjectFile> {
    return recordInquiry(this.pool, request);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relay?.stop();
    await this.pool.end();
  }
}

@Module({
  imports: [ClientsModule.register([{ name: SCORING, ...grpcOptions(setting('SCORING_PORT')) }])],
  controllers: [ReportingController],
})
class ReportingModule {}

await startService(ReportingModule, setting('REPORTING_PORT'));
